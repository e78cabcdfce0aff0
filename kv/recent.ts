/** Values by name, of which those that were asked for longest ago go when they take too much. */
export interface Recent<V> {
  /** The value of a name, which is thereby asked for. */
  get(name: string): V | undefined;
  /** The same without asking for it. */
  peek(name: string): V | undefined;
  keep(name: string, value: V, cost: number): void;
  forget(name: string): void;
}

/**
 * Keeps values that cost `most` together, in two generations: when the young one has half of it, it
 * becomes the old one, and what was left in that is gone.
 */
export function recent<V>(most: number): Recent<V> {
  type Kept = { value: V; cost: number };
  let [young, old] = [new Map<string, Kept>(), new Map<string, Kept>()];
  let youngCost = 0;

  function add(name: string, kept: Kept): void {
    youngCost += kept.cost - (young.get(name)?.cost ?? 0);
    young.set(name, kept);
    if (youngCost > most / 2) [young, old, youngCost] = [new Map(), young, 0];
  }

  return {
    get(name) {
      const [kept, older] = [young.get(name), old.get(name)];
      if (kept === undefined && older !== undefined) add(name, older);
      return (kept ?? older)?.value;
    },
    peek: (name) => (young.get(name) ?? old.get(name))?.value,
    keep: (name, value, cost) => add(name, { value, cost }),
    forget(name) {
      youngCost -= young.get(name)?.cost ?? 0;
      young.delete(name);
      old.delete(name);
    },
  };
}

/** Freezes an object and what it holds; what that takes, roughly and in bytes. */
export function freeze(object: object): number {
  Object.freeze(object);
  return Object.values(object).reduce<number>((sum, value) => {
    if (typeof value === "string") return sum + 24 + value.length;
    return sum + 8 + (typeof value === "object" && value !== null ? freeze(value) : 0);
  }, 16);
}
