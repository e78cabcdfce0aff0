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
const batchSize = 100;

/** How many entries an index has. */
export async function totalOf(kv: Deno.Kv, index: Index): Promise<number> {
  const totals = await Promise.all(
    index.values.map((value) => kv.get<Deno.KvU64>(keys.total(index, value))),
  );
  return totals.reduce((sum, { value }) => sum + Number(value?.value ?? 0n), 0);
}

/** The buckets that overlap a span and were ever counted in, newest first. */
async function* bucketsOf(
  kv: Deno.Kv,
  index: Index,
  { level, span: { from, before } }: { level: Level; span: Span },
): AsyncGenerator<Bucket> {
  const first = bucketAt(Math.max(from, 0), level);
  const end = before <= 0 ? 0 : bucketAt(Math.min(before, timeEnd) - 1, level) + 1;
  if (end <= first) return;
  const one = async function* (value: IndexValue): AsyncGenerator<[number, number]> {
    const key = (bucket: number) => keys.counter(index, value, level.level, bucket);
    const range = { start: key(first), end: key(end) };
    for await (const entry of kv.list<Deno.KvU64>(range, { reverse: true, batchSize })) {
      yield [Number(entry.key.at(-1)), Number(entry.value.value)];
    }
  };
  const found = index.values.length === 1 ? one(index.values[0]!) : await added(index.values, one);
  for await (const [bucket, count] of found) yield { span: spanOf(bucket, level), count };
}

/** The counters of several values, added up by bucket, newest first. */
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
  return [...counts].toSorted(([a], [b]) => b - a);
}

/** How many entries fall into a span of whole buckets of the index's finest level. */
export async function countIn(kv: Deno.Kv, index: Index, span: Span, depth = 1): Promise<number> {
  if (span.from <= 0 && span.before >= timeEnd) return await totalOf(kv, index);
  let total = 0;
  for await (const bucket of bucketsOf(kv, index, { level: levels[depth - 1]!, span })) {
    const part = overlap(bucket.span, span);
    const isWhole = part.from === bucket.span.from && part.before === bucket.span.before;
    if (isWhole || depth === index.depth) total += bucket.count;
    else total += await countIn(kv, index, part, depth + 1);
  }
  return total;
}

/**
 * Finds the entry that `skip` newer ones of a span of whole buckets come before: it is reached by
 * passing over the `skip` returned of those made before `before`. Null when there is none.
 */
export async function locate(
  kv: Deno.Kv,
  index: Index,
  { span, skip }: { span: Span; skip: number },
  depth = 1,
): Promise<{ before: number; skip: number } | null> {
  if (skip === 0) return { before: span.before, skip };
  for await (const bucket of bucketsOf(kv, index, { level: levels[depth - 1]!, span })) {
    const part = overlap(bucket.span, span);
    const isWhole = part.from === bucket.span.from && part.before === bucket.span.before;
    if (isWhole && skip >= bucket.count) skip -= bucket.count;
    else if (depth === index.depth) return { before: part.before, skip };
    else {
      const found = await locate(kv, index, { span: part, skip }, depth + 1);
      if (found !== null) return found;
      skip -= await countIn(kv, index, part, depth + 1);
    }
  }
  return null;
}
