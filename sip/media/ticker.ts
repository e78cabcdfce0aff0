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

/** At each tick all that was heard is handed on before anything is sent. */
export type Phase = "hear" | "send";

/** Calls back every 20 ms on average for as long as somebody listens; idle, it holds no timer. */
export interface Ticker {
  /** The result ends the calls. */
  listen(phase: Phase, onFrame: () => void): () => void;
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
 * not after it happened, and frames missed are made up for at once. One timer serves all legs, and
 * goes on for the others when one of them throws.
 */
export function createTicker(clock: Clock, onError = rethrow): Ticker {
  const phases = { hear: new Set<() => void>(), send: new Set<() => void>() };
  let due = 0;
  let cancel = () => {};

  const isIdle = () => phases.hear.size + phases.send.size === 0;
  const schedule = () => {
    cancel();
    cancel = clock.after(Math.max(0, due - clock.now()), run);
  };
  const run = () => {
    const missed = Math.max(0, Math.floor((clock.now() - due) / FRAME_MS));
    due += FRAME_MS * (missed + 1);
    for (let i = 0; i <= Math.min(missed, mediaLimits.catchUpFrames); i++) {
      callAll(phases.hear, onError);
      callAll(phases.send, onError);
    }
    if (!isIdle()) schedule();
  };

  return {
    listen(phase, onFrame) {
      const listener = () => onFrame();
      if (isIdle()) {
        due = clock.now() + FRAME_MS;
        schedule();
      }
      phases[phase].add(listener);
      return () => {
        if (phases[phase].delete(listener) && isIdle()) cancel();
      };
    },
  };
}

/** Those who come while it goes on are called at the next tick. */
function callAll(listeners: Set<() => void>, onError: (error: unknown) => void): void {
  for (const onFrame of [...listeners]) {
    if (!listeners.has(onFrame)) continue;
    try {
      onFrame();
    } catch (error) {
      onError(error);
    }
  }
}

function rethrow(error: unknown): void {
  throw error;
}
