import type { Condition } from "../../core/base/filters.ts";
import type { AnyRecord } from "../../core/model/resource.ts";
import type { Measured } from "./counts.ts";
import { boundsOf, type Range, recordsBetween } from "./entries.ts";
import { ordOf } from "../store/keys.ts";
import type { Source } from "./plan.ts";
import { storedBytes } from "../cache/record_cache.ts";
import type { RunCache } from "../cache/run_cache.ts";
import type { Gap, Run } from "../cache/runs.ts";

/** The most records that a cached page skips: the store lists as many within a few ms. */
const mostPassed = 2_000;

/** The most gaps that are read one by one. */
const fewGaps = 4;

/** The cache that has a page of an index; null when such pages are not cached. */
export function cacheFor(
  { runs }: Source,
  { index, excluded }: Measured,
  { where, skip }: { where: Condition[]; skip: number },
): RunCache | null {
  const isOfAll = index.field === "" && index.lacking === undefined && excluded === undefined;
  return isOfAll && where.length === 0 && skip <= mostPassed ? runs : null;
}

/**
 * The first records of a range of all records, newest first, without the `skip` first ones. Records
 * that are not in the cache are read and cached.
 */
export async function readCached(
  source: Source,
  runs: RunCache,
  { range, skip, limit }: { range: Range; skip: number; limit: number },
): Promise<AnyRecord[]> {
  const { place } = source;
  const ends = boundsOf(range);
  if (ends === null) return [];
  const { prefix } = place;
  const bounds = { from: prefix + ends.start.toHex(), before: prefix + ends.end.toHex() };
  const read: Run[] = [];
  while (true) {
    const found = runs.find(place, bounds, { skip, limit }, read);
    if (Array.isArray(found)) return found;
    if (read.length === fewGaps) break;
    read.push(await readGap(source, runs, found));
  }
  // There may be many more gaps, and each commit makes new ones: read the whole page.
  const { records } = await readGap(source, runs, { ...bounds, limit: skip + limit });
  return records.slice(skip);
}

async function readGap(
  { kv, place, codec }: Source,
  runs: RunCache,
  { from, before, limit }: Gap,
): Promise<Run> {
  const keep = runs.reading(place, codec.recall);
  const ends = { start: ordOf(from), end: ordOf(before) };
  const listed = await recordsBetween(kv, place, { ...ends, limit });
  const records = listed.map((entry) => codec.recall(entry));
  const bytes = listed.reduce((sum, { value }) => sum + storedBytes(value), 0);
  const last = listed.length < limit ? undefined : records.at(-1);
  const run = { from: last?.sid ?? from, before, records, bytes };
  keep(run);
  return run;
}
