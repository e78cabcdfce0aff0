import { consoleLimits } from "./limits.ts";

/** Counts failures by key in the memory of this instance, the oldest keys forgotten first. */
export interface Failures {
  /** Ms until the key may try again; 0: it may now. */
  waitMs(key: string): number;
  add(key: string): void;
  forget(key: string): void;
}

/** Lets a key fail `most` times within `spanMs`. */
export function createFailures(most: number, spanMs: number, now: () => number): Failures {
  const times = new Map<string, number[]>();
  const recent = (key: string) => (times.get(key) ?? []).filter((at) => now() - at < spanMs);
  return {
    waitMs(key) {
      const found = recent(key);
      if (found.length < most) return 0;
      return Math.max(0, (found[found.length - most] ?? 0) + spanMs - now());
    },
    add(key) {
      const found = [...recent(key), now()].slice(-most);
      times.delete(key); // It becomes the newest.
      times.set(key, found);
      const [oldest] = times.keys();
      if (times.size > consoleLimits.counted && oldest !== undefined) times.delete(oldest);
    },
    forget: (key) => void times.delete(key),
  };
}
