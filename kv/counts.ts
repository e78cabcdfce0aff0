import {
  bucketAt,
  type Counted,
  type Depth,
  type Level,
  levels,
  overlap,
  type Span,
  spanOf,
  timeEnd,
} from "./counters.ts";
import { type Gaps, gapsIn } from "./gaps.ts";
import { type FieldPlace, type IndexValue, keys } from "./keys.ts";

/** The entries of one value of a field, or of several: a record has only one of them. */
export interface Index extends FieldPlace {
  values: IndexValue[];
  depth: Depth;
  /** Entries whose records lack dates in one of these ways are not counted. */
  lacking?: string[];
}

interface Bucket {
  span: Span;
  count: number;
}

/** An index with its coarsest counters, which tell how many entries it has. */
export interface Measured {
  index: Index;
  total: number;
  /** Newest first. */
  top: Bucket[];
  /** Further entries that are not to be counted. */
  gaps?: Gaps;
}

/** Counters that one read asks of the store. */
const batchSize = 32;

/** Entries that are passed over as quickly as the store is asked once more. */
export const fewEntries = 50;

/** Reads the coarsest counters of an index. */
export async function measure(kv: Deno.Kv, index: Index): Promise<Measured> {
  const range = { level: levels[0]!, span: { from: 0, before: timeEnd }, reverse: true };
  const top = await Array.fromAsync(listed(kv, index, range));
  return { index, top, total: top.reduce((sum, { count }) => sum + count, 0) };
}

/** How many entries the coarsest buckets have that overlap a span. */
export const topIn = ({ top }: Measured, span: Span): number =>
  top.reduce(
    (sum, { span: { from, before }, count }) =>
      sum + (before > span.from && from < span.before ? count : 0),
    0,
  );

interface Buckets {
  level: Level;
  span: Span;
  reverse: boolean;
}

/** The buckets that overlap a span and were ever counted in, newest or oldest first. */
async function* listed(kv: Deno.Kv, index: Index, asked: Buckets): AsyncGenerator<Bucket> {
  const { level, span: { from, before }, reverse } = asked;
  const first = bucketAt(Math.max(from, 0), level);
  const end = before <= 0 ? 0 : bucketAt(Math.min(before, timeEnd) - 1, level) + 1;
  if (end <= first) return;
  const one = async function* ({ sign, ...counted }: Part): AsyncGenerator<[number, number]> {
    const key = (bucket: number) => keys.counter(counted, level.level, bucket);
    const range = { start: key(first), end: key(end) };
    for await (const entry of kv.list<Deno.KvU64>(range, { reverse, batchSize })) {
      yield [Number(entry.key.at(-1)), sign * Number(entry.value.value)];
    }
  };
  const parts = partsOf(index);
  const found = parts.length === 1
    ? one(parts[0]!)
    : (await added(parts, one)).sort(([a], [b]) => reverse ? b - a : a - b);
  for await (const [bucket, count] of found) yield { span: spanOf(bucket, level), count };
}

/** Counters that add to the number of an index's entries, or take from it. */
interface Part extends Counted {
  sign: 1 | -1;
}

function partsOf({ account, prefix, field, values, lacking = [] }: Index): Part[] {
  const at = { account, prefix, field };
  return values.flatMap((value) => [
    { ...at, value, sign: 1 as const },
    ...lacking.map((dates) => ({ ...at, value, lacking: dates, sign: -1 as const })),
  ]);
}

/** Several counters, added up by bucket. */
async function added(
  parts: Part[],
  one: (part: Part) => AsyncIterable<[number, number]>,
): Promise<[number, number][]> {
  const counts = new Map<number, number>();
  await Promise.all(parts.map(async (part) => {
    for await (const [bucket, count] of one(part)) {
      counts.set(bucket, (counts.get(bucket) ?? 0) + count);
    }
  }));
  return [...counts];
}

/** The same, without reading again what is known. */
function bucketsOf(
  kv: Deno.Kv,
  { index, top }: Measured,
  asked: Buckets,
): Iterable<Bucket> | AsyncIterable<Bucket> {
  const { level, span, reverse } = asked;
  if (level !== levels[0]) return listed(kv, index, asked);
  const buckets = top.filter((bucket) =>
    bucket.span.before > span.from && bucket.span.from < span.before
  );
  return reverse ? buckets : buckets.toReversed();
}

/** How many entries fall into a span of whole buckets of the index's finest level. */
export async function countIn(
  kv: Deno.Kv,
  measured: Measured,
  span: Span,
  depth = 1,
): Promise<number> {
  let total = 0;
  const asked = { level: levels[depth - 1]!, span, reverse: true };
  for await (const bucket of bucketsOf(kv, measured, asked)) {
    total += (await within(kv, measured, { bucket, span, depth })).count;
  }
  return total;
}

/** The part of a bucket that is in a span. */
async function within(
  kv: Deno.Kv,
  measured: Measured,
  { bucket, span, depth }: { bucket: Bucket; span: Span; depth: number },
): Promise<Bucket> {
  const part = overlap(bucket.span, span);
  const isWhole = part.from === bucket.span.from && part.before === bucket.span.before;
  if (!isWhole && depth < measured.index.depth) {
    return { span: part, count: await countIn(kv, measured, part, depth + 1) };
  }
  return { span: part, count: Math.max(0, bucket.count - gapsIn(measured.gaps, part)) };
}

/** An entry: the one that `skip` newer ones of a span come before, in which there are `count`. */
export interface Located {
  span: Span;
  skip: number;
  count: number;
}

/**
 * Finds an entry in a smaller span than that of whole buckets in which it is told: in one as small
 * as any where entries lie in between that are not counted. Null when there is none. The search
 * begins at the nearer end.
 */
export async function locate(
  kv: Deno.Kv,
  measured: Measured,
  { span, skip, count }: Located,
  depth = 1,
): Promise<Located | null> {
  const isNear = measured.index.lacking === undefined && (skip === 0 || count <= fewEntries);
  if (isNear || depth > measured.index.depth) return { span, skip, count };
  const reverse = skip <= count / 2;
  let left = reverse ? skip : count - skip - 1;
  const asked = { level: levels[depth - 1]!, span, reverse };
  for await (const bucket of bucketsOf(kv, measured, asked)) {
    const part = await within(kv, measured, { bucket, span, depth });
    if (left < part.count) {
      const inside = { ...part, skip: reverse ? left : part.count - left - 1 };
      return await locate(kv, measured, inside, depth + 1);
    }
    left -= part.count;
  }
  return null;
}
