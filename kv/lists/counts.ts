import {
  type Counted,
  type Depth,
  fullBucket,
  levelAt,
  levels,
  overlap,
  type Span,
  spanOf,
  timeEnd,
  windowAt,
} from "../store/counters.ts";
import { type ExcludedEntries, excludedIn } from "./excluded.ts";
import { type FieldPlace, type IndexValue, keys } from "../store/keys.ts";
import { undatedField } from "../records/layout.ts";
import {
  type Buckets,
  type Count,
  type CounterSource,
  mostAtOnce,
  readCounters,
} from "./read_counters.ts";

/** The entries of one value of a field, or of several: a record has only one of them. */
export interface Index extends FieldPlace {
  values: IndexValue[];
  depth: Depth;
  /** Entries whose records are over and lack dates in one of these ways are not counted. */
  lacking?: string[];
}

interface Bucket {
  span: Span;
  count: number;
}

/** An index with its coarsest counters and its total. */
export interface Measured {
  index: Index;
  total: number;
  /** Newest first. */
  top: Bucket[];
  /** Finer counters that were read, by level and span. */
  parts: Map<string, Bucket[]>;
  /** Further entries that are not counted. */
  excluded?: ExcludedEntries;
}

/** Entries that are skipped in the time of one more read. */
const fewEntries = 50;

/**
 * Reads the coarsest counters of an index, those of each value at once: for sixteen years in one
 * snapshot.
 */
export async function measure(source: CounterSource, index: Index): Promise<Measured> {
  const span = { from: 0, before: timeEnd };
  const range = { level: levelAt(1), span, reverse: true, about: mostAtOnce };
  const top = await Array.fromAsync(listed(source, index, range));
  const total = top.reduce((sum, { count }) => sum + count, 0);
  return { index, top, parts: new Map(), total };
}

/** The number of entries in the coarsest buckets that overlap a span. */
export const topIn = ({ top }: Measured, span: Span): number =>
  top.reduce(
    (sum, { span: { from, before }, count }) =>
      sum + (before > span.from && from < span.before ? count : 0),
    0,
  );

/** The buckets with counters that overlap a span, newest or oldest first. */
async function* listed(
  source: CounterSource,
  index: Index,
  wanted: Buckets,
): AsyncGenerator<Bucket> {
  const parts = partsOf(index);
  const { level, reverse } = wanted;
  const [part, ...others] = parts;
  if (part === undefined || others.length > 0) {
    const found = (await added(source, parts, wanted)).sort(([a], [b]) => reverse ? b - a : a - b);
    for (const [bucket, count] of found) yield { span: spanOf(bucket, level), count };
    return;
  }
  for await (const [bucket, count] of await readCounters(source, part, wanted)) {
    yield { span: spanOf(bucket, level), count };
  }
}

/** Counters that are added to the number of an index's entries, or subtracted from it. */
interface Part extends Counted {
  sign: 1 | -1;
}

function partsOf({ account, prefix, field, values, lacking = [] }: Index): Part[] {
  const at = { account, prefix, field };
  return values.flatMap((value) => [
    { ...at, value, sign: 1 as const },
    ...lacking.map((dates) => ({
      ...at,
      ...(field === "" ? { field: undatedField, value: dates } : { value, lacking: dates }),
      sign: -1 as const,
    })),
  ]);
}

/** The sums of several counters by bucket. */
async function added(source: CounterSource, parts: Part[], wanted: Buckets): Promise<Count[]> {
  const counts = new Map<number, number>();
  await Promise.all(parts.map(async (part) => {
    for await (const [bucket, count] of await readCounters(source, part, wanted)) {
      counts.set(bucket, (counts.get(bucket) ?? 0) + part.sign * count);
    }
  }));
  return [...counts];
}

/** The buckets that overlap a span, without a second read of those in memory. */
function bucketsOf(
  source: CounterSource,
  measured: Measured,
  wanted: Buckets,
): Iterable<Bucket> | AsyncIterable<Bucket> {
  const { level, span, reverse } = wanted;
  const known = level === levelAt(1)
    ? measured.top.filter((bucket) =>
      bucket.span.before > span.from && bucket.span.from < span.before
    )
    : measured.parts.get(nameOf(wanted));
  if (known === undefined) return listed(source, measured.index, wanted);
  return reverse ? known : known.toReversed();
}

/** Reads and keeps the buckets of a span, newest first: a count is often followed by a search. */
async function partOf(
  source: CounterSource,
  measured: Measured,
  wanted: Buckets,
): Promise<Bucket[]> {
  const found = await Array.fromAsync(bucketsOf(source, measured, wanted));
  measured.parts.set(nameOf(wanted), found);
  return found;
}

const nameOf = ({ level, span }: Buckets) => `${level.level} ${span.from} ${span.before}`;

/** The number of entries in a span of whole buckets of the index's finest level. */
export async function countIn(
  source: CounterSource,
  measured: Measured,
  span: Span,
  depth = 1,
): Promise<number> {
  let total = 0;
  const wanted = { level: levelAt(depth), span, reverse: true };
  for (const bucket of await partOf(source, measured, wanted)) {
    total += (await within(source, measured, { bucket, span, depth })).count;
  }
  return total;
}

/** The part of a bucket inside of a span. */
async function within(
  source: CounterSource,
  measured: Measured,
  { bucket, span, depth }: { bucket: Bucket; span: Span; depth: number },
): Promise<Bucket> {
  const part = overlap(bucket.span, span);
  const isWhole = part.from === bucket.span.from && part.before === bucket.span.before;
  if (!isWhole && depth < measured.index.depth) {
    return { span: part, count: await countIn(source, measured, part, depth + 1) };
  }
  return { span: part, count: Math.max(0, bucket.count - excludedIn(measured.excluded, part)) };
}

/** An entry by its position: `skip` of the `count` entries of a span are newer. */
export interface Located {
  span: Span;
  skip: number;
  count: number;
}

/**
 * Narrows the span of an entry by finer buckets; to the finest ones where entries in between are
 * not counted. Null when there is no such entry. The search begins at the nearer end. It requests
 * finer buckets for a full one that has none yet.
 */
export async function locate(
  source: CounterSource,
  measured: Measured,
  { span, skip, count }: Located,
  depth = 1,
): Promise<Located | null> {
  const isNear = measured.index.lacking === undefined && (skip === 0 || count <= fewEntries);
  if (isNear || !await isCountedBy(source, measured, { span, count, depth })) {
    return { span, skip, count };
  }
  const reverse = skip <= count / 2;
  let left = reverse ? skip : count - skip - 1;
  const level = levelAt(depth);
  const about = (span.before - span.from) / level.width * left / count + 8;
  const wanted = { level, span, reverse, about };
  for await (const bucket of bucketsOf(source, measured, wanted)) {
    const part = await within(source, measured, { bucket, span, depth });
    if (left < part.count) {
      const inside = { ...part, skip: reverse ? left : part.count - left - 1 };
      return await locate(source, measured, inside, depth + 1);
    }
    left -= part.count;
  }
  return null;
}

/**
 * Returns whether a level of counters divides the entries of a span that is a bucket of the level
 * before.
 */
async function isCountedBy(
  { depths }: CounterSource,
  { index }: Measured,
  { span, count, depth }: { span: Span; count: number; depth: number },
): Promise<boolean> {
  if (depth <= index.depth) return true;
  const [value, ...others] = index.values;
  if (value === undefined || others.length > 0 || index.lacking !== undefined) return false;
  const [key, window] = [keys.value(index, value), windowAt(span.from)];
  if (depth <= await depths.wholeIn(key, window)) return true;
  if (depth <= levels.length && count >= fullBucket) depths.passed(key, window);
  return false;
}
