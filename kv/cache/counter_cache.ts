import { type Batch, keyText } from "../store/batch.ts";
import type { CommitRecord } from "../store/commit.ts";
import { eachMoved, type Level, levels, timeEnd } from "../store/counters.ts";
import { lruCache } from "./lru_cache.ts";

/** The counters of one value and level in a stretch of time, oldest first. */
export interface Block {
  buckets: number[];
  counts: number[];
  /** The versionstamp of the last commit that moved one of them. */
  asOf: string;
}

/** Counters of a store that this process alone writes to. */
export interface CounterCache extends CommitRecord {
  /** A block by its name: as it is known, or as `read` finds it in one snapshot. */
  block(name: string, read: () => Promise<Block>): Promise<Readonly<Block>>;
  /** Takes part in a commit that was made. */
  made(writes: Writes, versionstamp: string): void;
  /** Forgets what a commit may have moved. */
  doubt(writes: Writes): void;
}

type Writes = Pick<Batch, "counts" | "deletes">;

interface Move {
  bucket: number;
  by: number;
  versionstamp: string;
}

/** A block on its way from the store, and the commits made since it was asked for. */
interface Reading {
  found: Promise<Block>;
  moves: Move[];
  isSpoiled: boolean;
}

/** The name of the block that has some buckets of a value's level. */
export const blockName = (value: Deno.KvKey, level: Level, part: number): string =>
  nameOf(keyText(value), level, part);

const nameOf = (text: string, { level }: Level, part: number): string => `${text}${level}/${part}`;

/**
 * How many of a level's buckets are remembered together: those of one bucket of the next coarser
 * level, and of the finest level half of them, as a search begins at the nearer end.
 */
export function blockBuckets({ level, width }: Level): number {
  const coarser = levels[level - 2];
  if (coarser === undefined) return timeEnd / width;
  return coarser.width / width / (level === levels.length ? 2 : 1);
}

/** The part of a level that a bucket is remembered in. */
export const partOf = (bucket: number, level: Level): number =>
  Math.floor(bucket / blockBuckets(level));

/** Which block has a counter; null when the key is of something else. */
function blockOf(key: Deno.KvKey): string | null {
  const [level, bucket] = [key.at(-2), key.at(-1)];
  if (typeof level !== "bigint" || typeof bucket !== "bigint") return null;
  const known = levels[Number(level) - 1];
  return known === undefined
    ? null
    : blockName(key.slice(0, -2), known, partOf(Number(bucket), known));
}

/** What a block takes beside its counters, as so many of them. */
const blockCost = 16;

/**
 * Remembers about `most` counters. All commits pass here, so what is known is what the store has,
 * and the place of a page is found without asking it. Whether a snapshot has a commit that was made
 * while it was read is told by its versionstamps: no counter is older than the last commit that
 * moved it.
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
      for (const move of one.moves) if (move.versionstamp > since) take(block, move);
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
    made({ counts, deletes }, versionstamp) {
      const moved = new Set<Block>();
      eachOf(counts, (name, bucket, by) => {
        const move = { bucket, by, versionstamp };
        readings.get(name)?.moves.push(move);
        const block = blocks.peek(name);
        if (block === undefined || block.asOf >= versionstamp && !moved.has(block)) return;
        take(block, move);
        moved.add(block);
      });
      for (const key of deletes) forget(blockOf(key) ?? "");
    },
    doubt({ counts, deletes }) {
      eachOf(counts, forget);
      for (const key of deletes) forget(blockOf(key) ?? "");
    },
  };
}

/** Tells each counter that moves, by the name of its block. */
function eachOf(
  counts: Batch["counts"],
  tell: (name: string, bucket: number, by: number) => void,
): void {
  for (const [text, moves] of counts) {
    eachMoved(moves, (level, bucket, by) => {
      tell(nameOf(text, level, partOf(bucket, level)), bucket, by);
    });
  }
}

/** Moves one counter of a block. */
function take(block: Block, { bucket, by, versionstamp }: Move): void {
  const { buckets, counts } = block;
  const at = firstFrom(buckets, bucket);
  if (buckets[at] === bucket) counts[at] = (counts[at] ?? 0) + by;
  else if (by > 0) {
    buckets.splice(at, 0, bucket);
    counts.splice(at, 0, by);
  }
  if (versionstamp > block.asOf) block.asOf = versionstamp;
}

/** Where the first of ascending numbers stands that is not below one. */
export function firstFrom(ascending: readonly number[], least: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! < least) low = middle + 1; // `middle` is below `high`.
    else high = middle;
  }
  return low;
}
