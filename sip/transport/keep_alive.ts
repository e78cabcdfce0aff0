import { sipLimits } from "../limits.ts";
import type { Clock } from "./clock.ts";

/** A watch on a peer that may be silent, but has to be there. */
export interface KeepAlive {
  heard(): void;
  stop(): void;
}

export interface KeepAliveEvents {
  /** Asks the peer for a sign of life. */
  onSilence(): void;
  /** It gave none for as long again. */
  onLost(): void;
}

export function createKeepAlive(clock: Clock, { onSilence, onLost }: KeepAliveEvents): KeepAlive {
  const idleMs = sipLimits.socketIdleS * 1000;
  let heardAt = clock.now();
  let asked = false;
  let stop = () => {};
  const look = () => {
    const leftMs = heardAt + idleMs - clock.now();
    if (leftMs <= 0 && asked) return onLost();
    asked = leftMs <= 0;
    // Before the question: its answer may end the watch.
    stop = clock.after(asked ? idleMs : leftMs, look);
    if (asked) onSilence();
  };
  stop = clock.after(idleMs, look);
  return {
    heard: () => void (heardAt = clock.now()),
    stop: () => stop(),
  };
}
