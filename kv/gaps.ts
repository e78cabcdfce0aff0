import type { Span } from "./counters.ts";
import type { Index } from "./counts.ts";
import { boundsOf, readAtOnce } from "./entries.ts";
import { type IndexValue, keys, sidOf } from "./keys.ts";
import { sidTime } from "../core/sid.ts";

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

/** The entries of an index in a span whose records are under way and lack dates in a way of its. */
export async function undated(
  kv: Deno.Kv,
  { values, lacking = [], ...place }: Index,
  span: Span,
): Promise<Gaps | undefined> {
  const bounds = boundsOf({ span });
  if (bounds === null || place.field === "") return undefined;
  const read = async (value: IndexValue, dates: string) => {
    const at = { ...place, value, lacking: dates };
    const range = { start: keys.undated(at, bounds.start), end: keys.undated(at, bounds.end) };
    const found = await Array.fromAsync(kv.list(range, { batchSize: readAtOnce }));
    return found.map(({ key }) => sidOf(place.prefix, key));
  };
  const pairs = values.flatMap((value) => lacking.map((dates) => read(value, dates)));
  const sids = (await Promise.all(pairs)).flat().sort();
  return sids.length === 0 ? undefined : { sids: new Set(sids), times: sids.map(sidTime) };
}
