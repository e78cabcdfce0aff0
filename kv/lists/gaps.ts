import { firstFrom } from "../cache/counter_memory.ts";
import type { Span } from "../store/counters.ts";

/** Records that have an entry in an index, and yet do not pass. */
export interface Gaps {
  sids: ReadonlySet<string>;
  /** The times of their Sids, ascending. */
  times: readonly number[];
}

/** How many there are in a span. */
export const gapsIn = (gaps: Gaps | undefined, { from, before }: Span): number =>
  gaps === undefined ? 0 : firstFrom(gaps.times, before) - firstFrom(gaps.times, from);
