import type { Span } from "./counters.ts";
import type { Index, Measured } from "./counts.ts";
import { firstEntries } from "./entries.ts";
import { isWithoutEnd, type Layout, undatedField } from "./layout.ts";
import { isDearer, membersOf } from "./lookups.ts";
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

/** What lacks dates is looked through while it is few, or at most so many times an index's entries. */
const [fewUndated, mostTimes] = [100, 3];

/**
 * The entries of an index in a span whose records are under way and lack dates in one of some ways:
 * looked for where there are fewer, among those under way or in the index.
 */
export async function underWayIn(
  kv: Deno.Kv,
  { index, total }: Measured,
  { layout, lacking, span }: { layout: Layout; lacking: string[]; span: Span },
): Promise<Gaps | undefined> {
  const values = lacking.filter((dates) => isWithoutEnd(layout, dates));
  const undated: Index = { ...index, field: undatedField, values };
  const most = Math.max(fewUndated, mostTimes * total);
  const listed = await firstEntries(kv, undated, { range: { span }, limit: most });
  const [from, among] = listed.length < most
    ? [listed, index]
    : [await firstEntries(kv, index, { range: { span }, limit: Infinity }), undated];
  if (from.length === 0) return undefined;
  const sids = from.map(({ sid }) => sid);
  const isSparse = among === undated || isDearer(total, sids.length * index.values.length);
  const members = await membersOf(kv, among, { sids, isSparse });
  const found = sids.filter((sid) => members.has(sid)).reverse();
  return found.length === 0 ? undefined : { sids: new Set(found), times: found.map(sidTime) };
}
