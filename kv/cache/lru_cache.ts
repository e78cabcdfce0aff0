/** Values by name. The least recently used ones are dropped when all cost too much. */
export interface LruCache<V> {
  /** The value of a name; counts as a use. */
  get(name: string): V | undefined;
  /** The value of a name; does not count as a use. */
  peek(name: string): V | undefined;
  keep(name: string, value: V, cost: number): void;
  forget(name: string): void;
}

/**
 * Keeps values that cost at most `most` together, in two generations. When the young one would cost
 * more than half of it, it becomes the old one, and the values left in the old one are dropped. A
 * value that costs more than half is not kept, as it would displace all others.
 */
export function lruCache<V>(most: number): LruCache<V> {
  type Kept = { value: V; cost: number };
  let [young, old] = [new Map<string, Kept>(), new Map<string, Kept>()];
  let youngCost = 0;

  function leave(name: string): void {
    youngCost -= young.get(name)?.cost ?? 0;
    young.delete(name);
  }

  function forget(name: string): void {
    leave(name);
    old.delete(name);
  }

  function add(name: string, kept: Kept): void {
    leave(name);
    if (youngCost + kept.cost > most / 2) [young, old, youngCost] = [new Map(), young, 0];
    young.set(name, kept);
    youngCost += kept.cost;
  }

  return {
    get(name) {
      const [kept, older] = [young.get(name), old.get(name)];
      if (kept === undefined && older !== undefined) add(name, older);
      return (kept ?? older)?.value;
    },
    peek: (name) => (young.get(name) ?? old.get(name))?.value,
    keep(name, value, cost) {
      if (cost > most / 2) forget(name);
      else add(name, { value, cost });
    },
    forget,
  };
}
