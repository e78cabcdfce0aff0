import { mediaLimits } from "./limits.ts";

/** One frame of audio: what every leg sends at each tick. */
export const FRAME_MS = 20;

/** The time that a ticker runs on; a test moves it by hand. */
export interface Clock {
  /** Monotonic, in ms. */
  now(): number;
  /** Calls back once; the result forgets it. */
  after(ms: number, callback: () => void): () => void;
}

/** Calls back every 20 ms on average for as long as somebody listens; idle, it holds no timer. */
export interface Ticker {
  /** The result ends the calls. */
  listen(onFrame: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * A timer fires late, never early: each frame is therefore due 20 ms after the one before was due,
 * not after it happened, and frames missed are made up for at once. One timer serves all legs.
 */
export function createTicker(clock: Clock): Ticker {
  const listeners = new Set<() => void>();
  let due = 0;
  let cancel = () => {};

  const schedule = () => {
    cancel();
    cancel = clock.after(Math.max(0, due - clock.now()), run);
  };
  const run = () => {
    const missed = Math.max(0, Math.floor((clock.now() - due) / FRAME_MS));
    due += FRAME_MS * (missed + 1);
    for (let i = 0; i <= Math.min(missed, mediaLimits.catchUpFrames); i++) {
      for (const onFrame of [...listeners]) if (listeners.has(onFrame)) onFrame();
    }
    if (listeners.size > 0) schedule();
  };

  return {
    listen(onFrame) {
      const listener = () => onFrame();
      listeners.add(listener);
      if (listeners.size === 1) {
        due = clock.now() + FRAME_MS;
        schedule();
      }
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) cancel();
      };
    },
  };
}
