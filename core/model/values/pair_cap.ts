import { limits } from "../../base/limits.ts";

/** Window in which messages of a pair are counted, in ms. */
export const windowMs = 60_000;

/** Counts the messages from each sender to each recipient, so that no loop between them goes on. */
export interface PairCap {
  /** Counts one; `isFirst` of those that are too many in their minute, which ends in `retryAfterS`. */
  take(from: string, to: string): "taken" | { retryAfterS: number; isFirst: boolean };
}

/** A cap for the messages that this instance takes. */
export function createPairCap(now: () => number): PairCap {
  // In the order of their end, as all windows are as long.
  const windows = new Map<string, { count: number; until: number }>();

  const forget = () => {
    for (const [key, { until }] of windows) {
      if (until > now() && windows.size < limits.messagePairs) break;
      windows.delete(key);
    }
  };

  return {
    take(from, to) {
      forget();
      const key = JSON.stringify([from, to]);
      const window = windows.get(key) ?? { count: 0, until: now() + windowMs };
      windows.set(key, window);
      window.count++;
      if (window.count <= limits.messagesOfPair) return "taken";
      return {
        retryAfterS: Math.max(Math.ceil((window.until - now()) / 1000), 1),
        isFirst: window.count === limits.messagesOfPair + 1,
      };
    },
  };
}
