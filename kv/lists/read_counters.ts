import {
  type Block,
  blockBuckets,
  blockName,
  type CounterCache,
  partOf,
} from "../cache/counter_cache.ts";
import type { DepthCache } from "../cache/depth_cache.ts";
import { bucketAt, type Counted, type Level, type Span, timeEnd } from "../store/counters.ts";
import { keys } from "../store/keys.ts";
import type { KeyValueStore, KvU64 } from "../store/key_value_store.ts";

/** Source of the counters. */
export interface CounterSource {
  kv: KeyValueStore;
  /** Only for a store that no other process writes to. */
  counters: CounterCache | null;
  depths: DepthCache;
}

/** The counters of a level in the buckets that overlap a span, newest or oldest first. */
export interface Buckets {
  level: Level;
  span: Span;
  reverse: boolean;
  /** The number of counters that are probably read. */
  about?: number;
}

/** The number of a bucket, and its count. */
export type Count = [bucket: number, count: number];

/** The most values of one read. */
export const mostAtOnce = 1_000;

/** The counters of a value, without those that never moved. */
export async function readCounters(
  source: CounterSource,
  counted: Counted,
  wanted: Buckets,
): Promise<Iterable<Count> | AsyncIterable<Count>> {
  const { level, span: { from, before }, reverse } = wanted;
  const first = bucketAt(Math.max(from, 0), level);
  const end = before <= 0 ? 0 : bucketAt(Math.min(before, timeEnd) - 1, level) + 1;
  if (end <= first) return [];
  const range = { level, first, end, reverse };
  const [older, newer] = [partOf(first, level), partOf(end - 1, level)];
  const { kv, counters } = source;
  if (counters === null || newer - older > 1) {
    return listed(kv, counted, { ...range, ...wanted.about && { about: wanted.about } });
  }
  const inCache = (part: number) => inBlock({ kv, counters }, counted, { ...range, part });
  if (older === newer) return await inCache(older);
  return bothOf(inCache, reverse ? [newer, older] : [older, newer]);
}

/** The counts of two ranges. The second one is read only when the first is not enough. */
async function* bothOf(
  read: (part: number) => Promise<Count[]>,
  parts: [number, number],
): AsyncGenerator<Count> {
  for (const part of parts) yield* await read(part);
}

/** Buckets of a level, from one up to another, newest or oldest first. */
interface Range {
  level: Level;
  first: number;
  end: number;
  reverse: boolean;
}

async function inBlock(
  { kv, counters }: { kv: KeyValueStore; counters: CounterCache },
  counted: Counted,
  { level, first, end, reverse, part }: Range & { part: number },
): Promise<Count[]> {
  const name = blockName(keys.counters(counted), level, part);
  const { buckets, counts } = await counters.block(name, () => readBlock(kv, counted, level, part));
  const found = buckets.map((bucket, at): Count => [bucket, counts[at] ?? 0])
    .filter(([bucket]) => bucket >= first && bucket < end);
  return reverse ? found.reverse() : found;
}

async function* listed(
  kv: KeyValueStore,
  counted: Counted,
  { level, first, end, reverse, about = leastAtOnce }: Range & { about?: number },
): AsyncGenerator<Count> {
  const key = (bucket: number) => keys.counter(counted, level.level, bucket);
  const batchSize = Math.min(mostAtOnce, Math.max(leastAtOnce, Math.ceil(about)));
  const selector = { start: key(first), end: key(end) };
  for await (const entry of kv.list<KvU64>(selector, { reverse, batchSize })) {
    yield [Number(entry.key.at(-1)), Number(entry.value.value)];
  }
}

/** The fewest counters of one read. */
const leastAtOnce = 32;

async function readBlock(
  kv: KeyValueStore,
  counted: Counted,
  level: Level,
  part: number,
): Promise<Block> {
  const size = blockBuckets(level);
  const key = (bucket: number) => keys.counter(counted, level.level, bucket);
  const selector = { start: key(part * size), end: key((part + 1) * size) };
  const block: Block = { buckets: [], counts: [], asOf: "" };
  const batchSize = Math.min(size, mostAtOnce); // In one snapshot, for sixteen years at level 1.
  // Without a limit, a block that has all its counters takes another read, which finds none.
  for await (const entry of kv.list<KvU64>(selector, { batchSize, limit: size })) {
    block.buckets.push(Number(entry.key.at(-1)));
    block.counts.push(Number(entry.value.value));
    if (entry.versionstamp > block.asOf) block.asOf = entry.versionstamp;
  }
  return block;
}
