import { keyText } from "../store/batch.ts";
import { fullBucket, levels, type Moved, spanOf, windowAt } from "../store/counters.ts";
import { lruCache } from "../cache/lru_cache.ts";
import { isCountedDeeper, leastDepth } from "../records/layout.ts";
import { type Counting, deepen } from "./deepen.ts";
import type { KvKey } from "../store/key_value_store.ts";

/** Makes the counters of values finer where many entries came, in the background. */
export interface Deepener {
  /** Notices the entries that a commit of this process has added. */
  made(moved: Moved[]): void;
  /** Looks at a value in a window, where a bucket may be full. */
  look(value: KvKey, window: number): void;
  /** Resolves when nothing is to be looked at. Rejects with the reason of the signal. */
  idle(signal: AbortSignal): Promise<void>;
  /** Begins nothing more. */
  close(): void;
}

/** The most buckets whose new entries are counted. */
const mostTallies = 20_000;

/** The most values that wait to be looked at; one that is left out is noticed again. */
const mostWaiting = 5_000;

const finest = levels.at(-1);

/**
 * Adds finer counters to the values of a store. A value is examined when this process alone has
 * filled a bucket of it, or when a page passed over that many entries. The counters then show
 * whether the bucket is full.
 */
export function deepener(store: Counting, onError: (error: unknown) => void): Deepener {
  const tallies = lruCache<{ count: number }>(mostTallies);
  const waiting = new Map<string, { value: KvKey; window: number }>();
  const closing = Promise.withResolvers<never>();
  closing.promise.catch(() => {}); // The promise may be rejected without a listener.
  let isClosed = false;
  let running: Promise<void> | null = null;

  async function run(): Promise<void> {
    for (const [name, { value, window }] of waiting) { // It grows meanwhile.
      if (isClosed) return;
      const depth = leastDepth(String(value[2]));
      try {
        await deepen(store, { value, window, depth }, (ms) => pause(ms, closing.promise));
      } catch (error) {
        if (!isClosed) onError(error); // The next page or full bucket tries again.
      }
      waiting.delete(name);
    }
    running = null;
  }

  function look(value: KvKey, window: number): void {
    if (isClosed || waiting.size >= mostWaiting) return;
    waiting.set(`${keyText(value)}${window}`, { value, window });
    running ??= run();
  }

  return {
    made(moved) {
      for (const { key, text, level, bucket, by, isFinest } of moved) {
        if (!isFinest || by <= 0 || !isCountedDeeper(key) || level === finest) continue;
        const name = `${text}${level.level}/${bucket}`;
        const tally = tallies.get(name);
        if (tally === undefined) tallies.keep(name, { count: by }, 1);
        else if ((tally.count += by) >= fullBucket) {
          tallies.forget(name);
          look(key, windowAt(spanOf(bucket, level).from));
        }
      }
    },
    look,
    idle: (signal) => unlessAborted(running, signal),
    close() {
      isClosed = true;
      closing.reject(new Error("The store is closed"));
    },
  };
}

async function pause(ms: number, closing: Promise<never>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([waited, closing]).finally(() => clearTimeout(timer));
}

async function unlessAborted(running: Promise<void> | null, signal: AbortSignal): Promise<void> {
  const stopped = Promise.withResolvers<never>();
  const stop = () => stopped.reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  await Promise.race([running, stopped.promise]);
  signal.removeEventListener("abort", stop);
}
