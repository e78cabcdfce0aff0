import type { Timers } from "./timers.ts";
import { sipLimits } from "./limits.ts";
import { shortages as counter } from "./metrics.ts";

/**
 * Shortages of this machine that failed calls: its RTP ports, descriptors or sockets. One is thought
 * to last until a leg ends, which gives back what it held, for `sipLimits.shortageMs` at most:
 * meanwhile new calls are refused before any query about them.
 */
export interface Shortages {
  /** Counts a shortage that failed a call; `text` names what is short. */
  note(kind: string, text: string): void;
  /** Counts one that is of one tenant alone. */
  count(kind: string): void;
  /** The text of the one that lasts; undefined while none does. */
  current(): string | undefined;
  /** A leg has ended. */
  ease(): void;
}

export function createShortages(timers: Pick<Timers, "after">): Shortages {
  let current: string | undefined;
  let stop = () => {};
  const ease = () => {
    stop();
    current = undefined;
  };
  return {
    note(kind, text) {
      counter.inc({ kind });
      ease();
      current = text;
      stop = timers.after(sipLimits.shortageMs, ease);
    },
    count: (kind) => counter.inc({ kind }),
    current: () => current,
    ease,
  };
}
