import {
  bucketAt,
  type Depth,
  type Level,
  levels,
  overlap,
  type Span,
  spanOf,
} from "./counters.ts";
import { timeEnd } from "./counters.ts";
import { type FieldPlace, type IndexValue, keys } from "./keys.ts";

/** The entries of one value of a field, or of several: a record has only one of them. */
export interface Index extends FieldPlace {
  values: IndexValue[];
  depth: Depth;
}

interface Bucket {
  span: Span;
  count: number;
}

/** Counters that one read asks of the store. */
const batchSize = 32;

/** How many entries an index has. */
export async function totalOf(kv: Deno.Kv, index: Index): Promise<number> {
  const totals = await Promise.all(
    index.values.map((value) => kv.get<Deno.KvU64>(keys.total(index, value))),
  );
  return totals.reduce((sum, { value }) => sum + Number(value?.value ?? 0n), 0);
}

/** The buckets that overlap a span and were ever counted in, newest or oldest first. */
async function* bucketsOf(
  kv: Deno.Kv,
  index: Index,
  { level, span: { from, before }, reverse }: { level: Level; span: Span; reverse: boolean },
): AsyncGenerator<Bucket> {
  const first = bucketAt(Math.max(from, 0), level);
  const end = before <= 0 ? 0 : bucketAt(Math.min(before, timeEnd) - 1, level) + 1;
  if (end <= first) return;
  const one = async function* (value: IndexValue): AsyncGenerator<[number, number]> {
    const key = (bucket: number) => keys.counter(index, value, level.level, bucket);
    const range = { start: key(first), end: key(end) };
    for await (const entry of kv.list<Deno.KvU64>(range, { reverse, batchSize })) {
      yield [Number(entry.key.at(-1)), Number(entry.value.value)];
    }
  };
  const found = index.values.length === 1
    ? one(index.values[0]!)
    : (await added(index.values, one)).sort(([a], [b]) => reverse ? b - a : a - b);
  for await (const [bucket, count] of found) yield { span: spanOf(bucket, level), count };
}

/** The counters of several values, added up by bucket. */
async function added(
  values: IndexValue[],
  one: (value: IndexValue) => AsyncIterable<[number, number]>,
): Promise<[number, number][]> {
  const counts = new Map<number, number>();
  await Promise.all(values.map(async (value) => {
    for await (const [bucket, count] of one(value)) {
      counts.set(bucket, (counts.get(bucket) ?? 0) + count);
    }
  }));
  return [...counts];
}

/** How many entries fall into a span of whole buckets of the index's finest level. */
export async function countIn(kv: Deno.Kv, index: Index, span: Span, depth = 1): Promise<number> {
  if (span.from <= 0 && span.before >= timeEnd) return await totalOf(kv, index);
  const level = levels[depth - 1]!;
  let total = 0;
  for await (const bucket of bucketsOf(kv, index, { level, span, reverse: true })) {
    total += (await within(kv, index, { bucket, span, depth })).count;
  }
  return total;
}

/** The part of a bucket that is in a span. */
async function within(
  kv: Deno.Kv,
  index: Index,
  { bucket, span, depth }: { bucket: Bucket; span: Span; depth: number },
): Promise<Bucket> {
  const part = overlap(bucket.span, span);
  const isWhole = part.from === bucket.span.from && part.before === bucket.span.before;
  if (isWhole || depth === index.depth) return bucket;
  return { span: part, count: await countIn(kv, index, part, depth + 1) };
}

/**
 * Finds the entry that `skip` newer ones of a span of whole buckets come before: it is reached by
 * passing over the `skip` returned of those made before `before`. Null when there is none. `count`
 * is of the span: the search begins at the nearer end.
 */
export async function locate(
  kv: Deno.Kv,
  index: Index,
  { span, skip, count }: { span: Span; skip: number; count: number },
  depth = 1,
): Promise<{ before: number; skip: number } | null> {
  if (skip === 0 || depth > index.depth) return { before: span.before, skip };
  const reverse = skip <= count / 2;
  const level = levels[depth - 1]!;
  let left = reverse ? skip : count - skip - 1;
  for await (const bucket of bucketsOf(kv, index, { level, span, reverse })) {
    const part = await within(kv, index, { bucket, span, depth });
    if (left < part.count) {
      const inside = { ...part, skip: reverse ? left : part.count - left - 1 };
      return await locate(kv, index, inside, depth + 1);
    }
    left -= part.count;
  }
  return null;
}
