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
  /** Undefined once it was set anew or deleted: the queue keeps the entry, not what it was for. */
  value: V | undefined;
  readonly until: number;
}

/** Between two looks for what has expired, at least. */
const sweepMs = 500;

export function createExpiringMap<V>(options: ExpiringMapOptions<V>): ExpiringMap<V> {
  const { clock, ttlMs, max, onDrop } = options;
  const entries = new Map<string, Entry<V>>();
  // In the order of their expiry. What was set anew or deleted still stands here, to be passed over:
  // a Map that is itself the queue walks over all that went whenever it is asked for its first.
  let queue: Entry<V>[] = [];
  let head = 0;
  let sweeping = false;

  const oldest = (): Entry<V> | undefined => {
    for (; head < queue.length; head++) {
      const entry = queue[head];
      if (entry !== undefined && entries.get(entry.key) === entry) return entry;
    }
    return undefined;
  };
  const compact = () => {
    if (head < 1_000 || head < queue.length / 2) return;
    queue = queue.slice(head);
    head = 0;
  };
  const forget = (key: string) => {
    const entry = entries.get(key);
    if (entry !== undefined) entry.value = undefined;
  };
  const drop = (entry: Entry<V>) => {
    const { key, value } = entry;
    entries.delete(key);
    entry.value = undefined;
    if (value !== undefined) onDrop?.(value);
  };
  const sweep = () => {
    sweeping = false;
    for (let entry = oldest(); entry !== undefined; entry = oldest()) {
      if (entry.until > clock.now()) return sweepAt(entry.until);
      drop(entry);
    }
    compact();
  };
  const sweepAt = (time: number) => {
    if (sweeping) return;
    sweeping = true;
    clock.after(Math.max(time - clock.now(), sweepMs), sweep);
  };

  return {
    get: (key) => entries.get(key)?.value,
    set(key, value) {
      const entry: Entry<V> = { key, value, until: clock.now() + ttlMs };
      forget(key);
      entries.set(key, entry);
      queue.push(entry);
      const excess = entries.size > max ? oldest() : undefined;
      if (excess !== undefined) drop(excess);
      compact();
      sweepAt(entry.until);
    },
    delete(key) {
      forget(key);
      entries.delete(key);
    },
  };
}
