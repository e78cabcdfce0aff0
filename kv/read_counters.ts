import { type Block, blockName, type CounterMemory, partOf } from "./counter_memory.ts";
import { bucketAt, type Counted, type Level, levels, type Span, timeEnd } from "./counters.ts";
import { keys } from "./keys.ts";

/** Where counters are read. */
export interface CounterSource {
  kv: Deno.Kv;
  /** Of a store that this process alone writes to. */
  memory: CounterMemory | null;
}

/** The counters of a level in the buckets that overlap a span, newest or oldest first. */
export interface Buckets {
  level: Level;
  span: Span;
  reverse: boolean;
  /** Of these how many are likely looked at. */
  about?: number;
}

/** A bucket by its number, and what it counts. */
export type Count = [bucket: number, count: number];

/** Values that one read asks of the store at most. */
const mostAtOnce = 1_000;

/** The counters of a value that were ever moved. */
export async function readCounters(
  { kv, memory }: CounterSource,
  counted: Counted,
  asked: Buckets,
): Promise<Iterable<Count> | AsyncIterable<Count>> {
  const { level, span: { from, before }, reverse } = asked;
  const first = bucketAt(Math.max(from, 0), level);
  const end = before <= 0 ? 0 : bucketAt(Math.min(before, timeEnd) - 1, level) + 1;
  if (end <= first) return [];
  const part = partOf(first, level);
  if (memory === null || part !== partOf(end - 1, level)) {
    return listed(kv, counted, { ...asked, first, end });
  }
  const name = blockName(keys.counters(counted), level, part);
  const { buckets, counts } = await memory.block(name, () => readBlock(kv, counted, level, part));
  const found = buckets.map((bucket, at): Count => [bucket, counts[at]!])
    .filter(([bucket]) => bucket >= first && bucket < end);
  return reverse ? found.reverse() : found;
}

async function* listed(
  kv: Deno.Kv,
  counted: Counted,
  { level, first, end, reverse, about = leastAtOnce }: Buckets & { first: number; end: number },
): AsyncGenerator<Count> {
  const key = (bucket: number) => keys.counter(counted, level.level, bucket);
  const batchSize = Math.min(mostAtOnce, Math.max(leastAtOnce, Math.ceil(about)));
  const selector = { start: key(first), end: key(end) };
  for await (const entry of kv.list<Deno.KvU64>(selector, { reverse, batchSize })) {
    yield [Number(entry.key.at(-1)), Number(entry.value.value)];
  }
}

/** Counters that one read asks of the store at least. */
const leastAtOnce = 32;

async function readBlock(
  kv: Deno.Kv,
  counted: Counted,
  { level, width }: Level,
  part: number,
): Promise<Block> {
  const size = level === 1 ? timeEnd / width : levels[level - 2]!.width / width;
  const key = (bucket: number) => keys.counter(counted, level, bucket);
  const selector = { start: key(part * size), end: key((part + 1) * size) };
  const block: Block = { buckets: [], counts: [], asOf: "" };
  const batchSize = Math.min(size, mostAtOnce); // In one snapshot, for sixteen years at level 1.
  for await (const entry of kv.list<Deno.KvU64>(selector, { batchSize })) {
    block.buckets.push(Number(entry.key.at(-1)));
    block.counts.push(Number(entry.value.value));
    if (entry.versionstamp > block.asOf) block.asOf = entry.versionstamp;
  }
  return block;
}
