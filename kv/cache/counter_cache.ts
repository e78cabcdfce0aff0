/**
 * Counters of lists in memory, where one process writes to the store: every commit passes one place, which
 * moves them too. A page at any depth is two reads, of its entries and of their records. Without this, any
 * page beside creates makes half as many requests.
 */
import { keyText } from "../store/batch.ts";
import type { CommitRecord, Writes } from "../store/commit_record.ts";
import { type Level, levels, timeEnd } from "../store/counters.ts";
import { lruCache } from "./lru_cache.ts";
import type { KvKey } from "../store/key_value_store.ts";

/** The counters of one value and level in a stretch of time, oldest first. */
export interface Block {
  buckets: number[];
  counts: number[];
  /** The versionstamp of the last commit that moved one of them. */
  asOf: string;
}

/** The counters that a commit moves or deletes. */
type CounterWrites = Pick<Writes, "moved" | "deletes">;

/** A cache of counters, for a store that only this process writes to. */
export interface CounterCache extends CommitRecord {
  /** A block by its name: from the cache, or as `read` finds it in one snapshot. */
  block(name: string, read: () => Promise<Block>): Promise<Readonly<Block>>;
  /** Applies a commit that was made. */
  made(writes: CounterWrites, versionstamp: string): void;
  /** Drops the blocks that a commit may have moved. */
  doubt(writes: CounterWrites): void;
}

interface Move {
  bucket: number;
  by: number;
  versionstamp: string;
}

/** A read of a block under way, and the moves by commits since it began. */
interface Reading {
  found: Promise<Block>;
  moves: Move[];
  isSpoiled: boolean;
}

/** The name of the block with part number `part` of the buckets of a value's level. */
export const blockName = (value: KvKey, level: Level, part: number): string =>
  nameOf(keyText(value), level, part);

const nameOf = (text: string, { level }: Level, part: number): string => `${text}${level}/${part}`;

/** The number of a level's buckets in one block: those of one bucket of the next coarser level. */
export function blockBuckets({ level, width }: Level): number {
  const coarser = levels[level - 2];
  return (coarser?.width ?? timeEnd) / width;
}

/** The part of a level whose block has a bucket. */
export const partOf = (bucket: number, level: Level): number =>
  Math.floor(bucket / blockBuckets(level));

/** The block of a counter, by its key; null when the key is not of a counter. */
function blockOf(key: KvKey): string | null {
  const [level, bucket] = [key.at(-2), key.at(-1)];
  if (typeof level !== "bigint" || typeof bucket !== "bigint") return null;
  const known = levels[Number(level) - 1];
  return known === undefined
    ? null
    : blockName(key.slice(0, -2), known, partOf(Number(bucket), known));
}

/** Cost of a block beside its counters, in counters. */
const blockCost = 16;

/**
 * Caches about `most` counters. All commits are reported here, so that the cache has the values of
 * the store and a page is located without reads. The versionstamps of a snapshot show whether it
 * has a commit that was made during the read: each counter has that of the last commit that moved
 * it.
 */
export function counterCache(most: number): CounterCache {
  const blocks = lruCache<Block>(most);
  const readings = new Map<string, Reading>();

  async function reading(name: string, read: () => Promise<Block>): Promise<Block> {
    const one: Reading = { found: read(), moves: [], isSpoiled: false };
    readings.set(name, one);
    try {
      const block = await one.found;
      const since = block.asOf;
      for (const move of one.moves) if (move.versionstamp > since) apply(block, move);
      if (!one.isSpoiled) blocks.keep(name, block, block.buckets.length + blockCost);
      return block;
    } finally {
      if (readings.get(name) === one) readings.delete(name);
    }
  }

  function forget(name: string): void {
    blocks.forget(name);
    const one = readings.get(name);
    if (one !== undefined) one.isSpoiled = true;
    readings.delete(name);
  }

  return {
    async block(name, read) {
      const block = blocks.get(name);
      if (block !== undefined) return block;
      const other = readings.get(name);
      if (other === undefined) return await reading(name, read);
      await other.found;
      return blocks.get(name) ?? await reading(name, read);
    },
    made({ moved, deletes }, versionstamp) {
      if (blocks.isEmpty() && readings.size === 0) return; // No list was read.
      const changed = new Set<Block>();
      for (const { text, level, bucket, by } of moved) {
        const name = nameOf(text, level, partOf(bucket, level));
        const move = { bucket, by, versionstamp };
        readings.get(name)?.moves.push(move);
        const block = blocks.peek(name);
        if (block === undefined || block.asOf >= versionstamp && !changed.has(block)) continue;
        apply(block, move);
        changed.add(block);
      }
      for (const key of deletes) forget(blockOf(key) ?? "");
    },
    doubt({ moved, deletes }) {
      for (const { text, level, bucket } of moved) {
        forget(nameOf(text, level, partOf(bucket, level)));
      }
      for (const key of deletes) forget(blockOf(key) ?? "");
    },
  };
}

/** Moves one counter of a block. */
function apply(block: Block, { bucket, by, versionstamp }: Move): void {
  const { buckets, counts } = block;
  const at = firstFrom(buckets, bucket);
  if (buckets[at] === bucket) counts[at] = (counts[at] ?? 0) + by;
  else if (by > 0) {
    buckets.splice(at, 0, bucket);
    counts.splice(at, 0, by);
  }
  if (versionstamp > block.asOf) block.asOf = versionstamp;
}

/** The position of the first of ascending numbers that is at least `least`. */
export function firstFrom(ascending: readonly number[], least: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! < least) low = middle + 1; // `middle` is below `high`.
    else high = middle;
  }
  return low;
}
