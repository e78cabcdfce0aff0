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

/** Between two looks for what has expired, at least. */
const sweepMs = 500;

export function createExpiringMap<V>(options: ExpiringMapOptions<V>): ExpiringMap<V> {
  const { clock, ttlMs, max, onDrop } = options;
  // In the order of their expiry, as what is set moves to the end.
  const entries = new Map<string, { value: V; until: number }>();
  let sweeping = false;

  const drop = (key: string, value: V) => {
    entries.delete(key);
    onDrop?.(value);
  };
  const sweep = () => {
    sweeping = false;
    for (const [key, { value, until }] of entries) {
      if (until > clock.now()) return sweepAt(until);
      drop(key, value);
    }
  };
  const sweepAt = (time: number) => {
    if (sweeping) return;
    sweeping = true;
    clock.after(Math.max(time - clock.now(), sweepMs), sweep);
  };

  return {
    get: (key) => entries.get(key)?.value,
    set(key, value) {
      const until = clock.now() + ttlMs;
      entries.delete(key);
      entries.set(key, { value, until });
      for (const [oldest, entry] of entries) {
        if (entries.size <= max) break;
        drop(oldest, entry.value);
      }
      sweepAt(until);
    },
    delete: (key) => void entries.delete(key),
  };
}
