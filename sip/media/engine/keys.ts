/**
 * The leg pairs presses, so that markup, streams, recordings and the other party get the same keys. To
 * ignore INFO where telephone events were agreed would lose the keys of phones that agree to events and
 * send INFO alone.
 */
import { mediaLimits } from "../base/limits.ts";

/** Ways that a key comes by: telephone events (RFC 4733), in-band tones (Q.23), SIP INFO. */
export type Way = "event" | "tone" | "info";

/**
 * Keys of one peer. Phones may be set to bring each key by two or three ways at once (such as "RFC 2833
 * + SIP INFO"), in any order. A press by one way is paired with the first press of the same key by
 * another way within `sameKeyMs`, and both are one key. Presses by one way are never paired, so a key
 * pressed twice counts twice.
 */
export interface Keys {
  /** Takes a press; returns whether it is a key that no other way has brought. */
  take(digit: string, way: Way): boolean;
  /** Returns whether another way has brought this press; a press of its own is not kept. */
  isRepeat(digit: string, way: Way): boolean;
  /** Notes that the newest press by a way goes on: its other ways may follow its end. */
  holds(way: Way): void;
}

interface Press {
  digit: string;
  at: number;
  ways: Set<Way>;
}

/** Creates the keys of one peer; `now` is monotonic time in ms. */
export function createKeys(now: () => number): Keys {
  let presses: Press[] = []; // The oldest first.

  const isRepeat = (digit: string, way: Way): boolean => {
    presses = presses.filter(({ at }) => now() - at < mediaLimits.sameKeyMs);
    const known = presses.find((press) => press.digit === digit && !press.ways.has(way));
    known?.ways.add(way);
    return known !== undefined;
  };
  return {
    isRepeat,
    take(digit, way) {
      if (isRepeat(digit, way)) return false;
      presses.push({ digit, at: now(), ways: new Set([way]) });
      if (presses.length > mediaLimits.keptPresses) presses.shift();
      return true;
    },
    holds(way) {
      const press = presses.findLast(({ ways }) => ways.has(way));
      if (press !== undefined) press.at = now();
    },
  };
}
