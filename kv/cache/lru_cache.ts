/** Values by name. The least recently used ones are dropped when all cost too much. */
export interface LruCache<V> {
  /** The value of a name; counts as a use. */
  get(name: string): V | undefined;
  /** The value of a name; does not count as a use. */
  peek(name: string): V | undefined;
  keep(name: string, value: V, cost: number): void;
  forget(name: string): void;
  /** Returns whether it has no values. */
  isEmpty(): boolean;
  /** Returns whether further values displace others. */
  isFull(): boolean;
}

/**
 * Caches values that cost at most `most` together, in two generations. When the young one would
 * cost more than half of it, it becomes the old one, and the values left in the old one are
 * dropped. A value that costs more than half is not cached, as it would displace all others.
 */
export function lruCache<V>(most: number): LruCache<V> {
  type Kept = { value: V; cost: number };
  let [young, old] = [new Map<string, Kept>(), new Map<string, Kept>()];
  let youngCost = 0;

  function forget(name: string): void {
    youngCost -= young.get(name)?.cost ?? 0;
    young.delete(name);
    old.delete(name);
  }

  function add(name: string, kept: Kept): void {
    youngCost += kept.cost - (young.get(name)?.cost ?? 0);
    if (youngCost > most / 2) [young, old, youngCost] = [new Map(), young, kept.cost];
    young.set(name, kept);
  }

  return {
    get(name) {
      const kept = young.get(name);
      if (kept !== undefined) return kept.value;
      const older = old.get(name);
      if (older !== undefined) add(name, older);
      return older?.value;
    },
    peek: (name) => (young.get(name) ?? old.get(name))?.value,
    keep(name, value, cost) {
      if (cost > most / 2) forget(name);
      else add(name, { value, cost });
    },
    forget,
    isEmpty: () => young.size === 0 && old.size === 0,
    isFull: () => old.size > 0,
  };
}
