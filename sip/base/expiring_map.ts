import type { Clock } from "./clock.ts";

/** A bounded map whose entries go some time after they were set last; beyond the bound, the oldest. */
export interface ExpiringMap<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
}

export interface ExpiringMapOptions<V> {
  clock: Clock;
  ttlMs: number;
  max: number;
  /** Called for an entry that goes by itself. */
  onDrop?(value: V): void;
}

interface Entry<V> {
  readonly key: string;
  /**
   * Undefined once it is gone: an outgrown table of the Map may keep the entry, not what it was
   * for.
   */
  value: V | undefined;
  until: number;
  /** Its neighbours in the order of expiry. */
  before: Entry<V> | undefined;
  after: Entry<V> | undefined;
}

/** Between two looks for what has expired, at least. */
const sweepMs = 500;

export function createExpiringMap<V>(options: ExpiringMapOptions<V>): ExpiringMap<V> {
  const { clock, ttlMs, max, onDrop } = options;
  const entries = new Map<string, Entry<V>>();
  // A Map as the queue would walk over all removed entries at each access to its first.
  const queue = createQueue<V>();
  let sweeping = false;

  const remove = (entry: Entry<V>): V | undefined => {
    const { key, value } = entry;
    entries.delete(key);
    queue.remove(entry);
    entry.value = undefined;
    return value;
  };
  const drop = (entry: Entry<V>) => {
    const value = remove(entry);
    if (value !== undefined) onDrop?.(value);
  };
  const sweep = () => {
    sweeping = false;
    for (let entry = queue.first(); entry !== undefined; entry = queue.first()) {
      if (entry.until > clock.now()) return sweepAt(entry.until);
      drop(entry);
    }
  };
  const sweepAt = (time: number) => {
    if (sweeping) return;
    sweeping = true;
    clock.after(Math.max(time - clock.now(), sweepMs), sweep);
  };
  const add = (key: string, value: V, until: number) => {
    const entry = { key, value, until, before: undefined, after: undefined };
    entries.set(key, entry);
    queue.append(entry);
    const oldest = queue.first();
    if (entries.size > max && oldest !== undefined) drop(oldest);
  };

  return {
    get: (key) => entries.get(key)?.value,
    set(key, value) {
      const until = clock.now() + ttlMs;
      const known = entries.get(key);
      if (known === undefined) add(key, value, until);
      else {
        known.value = value;
        known.until = until;
        queue.remove(known);
        queue.append(known);
      }
      sweepAt(until);
    },
    delete(key) {
      const entry = entries.get(key);
      if (entry !== undefined) remove(entry);
    },
  };
}

/** Entries one after the other, of which each can leave at once. */
function createQueue<V>() {
  let first: Entry<V> | undefined;
  let last: Entry<V> | undefined;
  return {
    first: () => first,
    append(entry: Entry<V>) {
      entry.before = last;
      if (last === undefined) first = entry;
      else last.after = entry;
      last = entry;
    },
    remove(entry: Entry<V>) {
      const { before, after } = entry;
      if (before === undefined) first = after;
      else before.after = after;
      if (after === undefined) last = before;
      else after.before = before;
      // A removed entry in the old generation would keep its neighbours out of the young collection.
      entry.before = entry.after = undefined;
    },
  };
}
