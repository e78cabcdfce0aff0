import type { Condition } from "../../core/base/filters.ts";
import type { AnyRecord } from "../../core/model/resource.ts";
import { sidTime } from "../../core/base/sid.ts";
import { locate, type Measured } from "./counts.ts";
import { firstEntries, type Found, type Range } from "./entries.ts";
import type { Source } from "./plan.ts";
import { cacheFor, type FromOlder, readCached } from "./read_cached.ts";
import { passing } from "./scan.ts";

/** The records that a page shows of an index. */
export interface Wanted {
  where: Condition[];
  /** The records are few among all, so that each has its own lookup. */
  isSparse: boolean;
  range: Range;
  limit: number;
  skip: number;
  /** Position of the first record, for a page that the cache has. */
  older?: FromOlder;
  /** The first entries when they were read already; none of them is skipped. */
  listed?: Found[];
}

/** The first records of an index's range. Further ones replace those that changed meanwhile. */
export async function readRecords(
  source: Source,
  measured: Measured,
  wanted: Wanted,
): Promise<AnyRecord[]> {
  const { index, excluded } = measured;
  const { listed: known, older: _, ...rest } = wanted;
  const { where, isSparse, range, limit, skip } = rest;
  if (limit === 0) return [];
  const runs = known === undefined ? cacheFor(source, measured, wanted) : null;
  if (runs !== null) return await readCached(source, runs, wanted);
  const listed = known ??
    await firstEntries(source.kv, index, { range, limit: skip + limit });
  const meant = excluded === undefined
    ? listed
    : listed.filter(({ sid }) => !excluded.sids.has(sid));
  const check = { where, isSparse, recalls: true };
  const found = await passing(source, meant.slice(skip), check);
  const records = found.map(({ record }) => record);
  const missing = limit - records.length;
  const last = listed.at(-1);
  if (last === undefined || missing === 0 || listed.length < skip + limit) return records;
  const further = {
    ...rest,
    range: { ...range, after: last.sid },
    limit: missing,
    skip: Math.max(0, skip - meant.length),
  };
  return records.concat(await readRecords(source, measured, further));
}

/** Counters find the next entries when fewer than one of this many entries had the dates. */
const poorShare = 8;

/**
 * The first records of an index's range that have the required dates. Each record is read, as
 * entries do not have dates. If many in a row have none, the counters find the next ones.
 */
export async function readDatedRecords(
  source: Source,
  measured: Measured,
  { where, isSparse, skip, limit, ...wanted }: Wanted,
): Promise<AnyRecord[]> {
  const { index, excluded } = measured;
  const records: AnyRecord[] = [];
  let range: Range | null = wanted.range;
  let size = skip + limit;
  while (range !== null && records.length < skip + limit) {
    const listed = await firstEntries(source.kv, index, { range, limit: size });
    const meant = listed.filter(({ sid }) => !excluded?.sids.has(sid));
    const found = await passing(source, meant, { where, isSparse, recalls: true });
    records.push(...found.map(({ record }) => record));
    const isPoor = found.length * poorShare < listed.length;
    const last = listed.length < size ? undefined : listed.at(-1);
    range = last === undefined
      ? null
      : await further(source, measured, { range, after: last.sid, isPoor });
    const missing = skip + limit - records.length;
    size = Math.min(size * 2, Math.ceil(missing * listed.length / Math.max(1, found.length)) + 5);
  }
  return records.slice(skip, skip + limit);
}

/** The rest of a range after a Sid; when `isPoor`, without the buckets that have no match. */
async function further(
  source: Source,
  measured: Measured,
  { range, after, isPoor }: { range: Range; after: string; isPoor: boolean },
): Promise<Range | null> {
  if (!isPoor) return { ...range, after };
  const span = { from: range.span.from, before: sidTime(after) + 1 };
  const next = await locate(source, measured, { span, skip: 0, count: Infinity });
  return next && { span: { from: span.from, before: next.span.before }, after };
}
