import type { Span } from "./counters.ts";
import { boundsOf } from "./entries.ts";
import { keys, sidOf } from "./keys.ts";
import { sidTime } from "../core/sid.ts";
import type { Source } from "./plan.ts";

/** Records that have an entry in an index, and yet do not pass. */
export interface Gaps {
  sids: ReadonlySet<string>;
  /** The times of their Sids, ascending. */
  times: readonly number[];
}

/** `sids` newest first. */
export const gapsOf = (sids: string[]): Gaps => ({
  sids: new Set(sids),
  times: sids.map(sidTime).reverse(),
});

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

/** The records of a span that are under way and lack one of these dates, newest first. */
export async function undated(
  { kv, place }: Source,
  dates: string[],
  span: Span,
): Promise<string[]> {
  const bounds = boundsOf({ span });
  const sids: string[] = [];
  if (bounds === null || dates.length === 0) return sids;
  const selector = {
    start: keys.undated(place, bounds.start),
    end: keys.undated(place, bounds.end),
  };
  for await (
    const { key, value } of kv.list<string[]>(selector, { reverse: true, batchSize: 500 })
  ) {
    if (value.some((field) => dates.includes(field))) sids.push(sidOf(place.prefix, key));
  }
  return sids;
}
