import { awakeNow } from "../../core/base/steady_clock.ts";
import type { Timers } from "./timers.ts";

/** Time as the transports need it; tests move it by hand. */
export interface Clock {
  /** Milliseconds from any origin. */
  now(): number;
  /** Calls back once; the result forgets it. */
  after(ms: number, callback: () => void): () => void;
}

export const clockOf = ({ after }: Timers): Clock => ({ after, now: awakeNow });
