import type { Span } from "./counters.ts";

/** Records that have an entry in an index, and yet do not pass. */
export interface Gaps {
  sids: ReadonlySet<string>;
  /** The times of their Sids, ascending. */
  times: readonly number[];
}

/** How many there are in a span. */
export const gapsIn = (gaps: Gaps | undefined, { from, before }: Span): number =>
  gaps === undefined ? 0 : firstFrom(gaps.times, before) - firstFrom(gaps.times, from);

/** Where the first of ascending numbers stands that is not below one. */
function firstFrom(ascending: readonly number[], least: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
