import { type Batch, type Moves, stageMove } from "./batch.ts";
import { type FieldPlace, type IndexValue, keys } from "./keys.ts";
import type { KvKey } from "./key_value_store.ts";

/**
 * Counters say how many index entries fall into a bucket: a stretch of time, by the time of their
 * Sid, which never changes. Level 1 counts by 2^29 ms (6 days): sixty reads a year give the total.
 * Finer levels split that into pieces of 2^21 ms (35 minutes), 2^15 ms (33 s), 2^9 ms (half a second)
 * and 2^3 ms. So a few hundred reads find the n-th entry, however deep it lies. Each level costs every
 * write, so an index has two or three of them, and finer ones only where a bucket is full
 * (`kv/counters/`).
 */
export interface Level {
  level: number;
  /** In ms. */
  width: number;
}

export const levels: readonly Level[] = [
  { level: 1, width: 2 ** 29 },
  { level: 2, width: 2 ** 21 },
  { level: 3, width: 2 ** 15 },
  { level: 4, width: 2 ** 9 },
  { level: 5, width: 2 ** 3 },
];

/** The level with a number: 1 is the coarsest. */
export function levelAt(number: number): Level {
  const level = levels[number - 1];
  if (level === undefined) throw new RangeError(`Cannot count by level ${number}`);
  return level;
}

/**
 * Number of levels that an index has everywhere: 3 for that of all records, whose entries are long.
 * The others have 2: passing over some hundred empty entries is quick. Records leave values such as
 * a status of calls, and each bucket then has a counter of 0, which is not removed.
 */
export type Depth = 2 | 3;

/** A bucket of so many entries gets counters of the next finer level. */
export const fullBucket = 256;

/** The stretch of time in which all entries of a value are counted equally deep: 35 minutes. */
export const windowLevel = levelAt(2);

/** The window of a time in ms. */
export const windowAt = (ms: number): number => bucketAt(ms, windowLevel);

/** Instants in ms, without `before`; either end may be infinite. */
export interface Span {
  from: number;
  before: number;
}

export const always: Span = { from: -Infinity, before: Infinity };

/** The intersection of two spans. */
export const overlap = (a: Span, b: Span): Span => ({
  from: Math.max(a.from, b.from),
  before: Math.min(a.before, b.before),
});

/** The end of the time range of Sids, in ms. */
export const timeEnd = 2 ** 48;

export const bucketAt = (ms: number, { width }: Level): number => Math.floor(ms / width);

export const spanOf = (bucket: number, { width }: Level): Span => ({
  from: bucket * width,
  before: (bucket + 1) * width,
});

/** The largest span inside this one that begins and ends with buckets of the finest level. */
export function wholeBuckets({ from, before }: Span, depth: Depth): Span {
  const level = levelAt(depth);
  const bucket = (ms: number) => spanOf(bucketAt(ms, level), level);
  return {
    from: from <= 0 || from >= timeEnd ? from : bucket(from - 1).before,
    before: before <= 0 || before >= timeEnd ? before : bucket(before).from,
  };
}

/** An entry that is added or removed; with `lacking`, one whose record lacks dates. */
export interface Counted extends FieldPlace {
  value: IndexValue;
  lacking?: string;
}

/**
 * Moves the counters of a value by one entry, in the buckets of its Sid's time. The batch must
 * check the entry's record.
 */
export function stageCount(
  batch: Batch,
  counted: Counted,
  { depth, ms, by }: { depth: Depth; ms: number; by: 1 | -1 },
): void {
  const bucket = bucketAt(ms, finest);
  stageMove(batch, { key: keys.counters(counted), depth }, bucket, by);
}

const finest = levelAt(levels.length);

/**
 * The finest level by which the entries of a value are counted in a window; 0 for those of its index.
 * The text is that of the value's key.
 */
export type DepthIn = (key: KvKey, text: string, window: number) => number;

/** A counter that a commit moves. */
export interface Moved {
  key: KvKey;
  /** The text of the key. */
  text: string;
  level: Level;
  bucket: number;
  by: number;
  /** No finer counter moves with it. */
  isFinest: boolean;
}

/** The window of a bucket of the finest level. */
export const windowOf = (bucket: number): number => windowAt(bucket * finest.width);

/** The finest level by which a bucket of the finest one is counted: with it, all coarser ones. */
export const deepestOf = (
  { key, depth }: Moves,
  { text, bucket, depthIn }: { text: string; bucket: number; depthIn: DepthIn },
): number => Math.max(depth, depthIn(key, text, windowOf(bucket)));

/** The bucket of a level that a bucket of the finest one is in. */
export const bucketIn = (bucket: number, level: Level): number =>
  bucketAt(bucket * finest.width, level);

/** A number for a bucket of a level; no other bucket of any level has it. */
export const bucketId = (bucket: number, { level }: Level): number =>
  bucket * levels.length + level;

/**
 * The counters that move. A finer counter than those of its index also moves by 0. Entries came and
 * went, and the process that counts them must notice.
 */
export function movedBy(counts: Batch["counts"], depthIn: DepthIn): Moved[] {
  const moved: Moved[] = [];
  for (const [text, moves] of counts) {
    for (const one of movesOf(text, moves, depthIn)) {
      if (one.by !== 0 || one.level.level > moves.depth) moved.push(one);
    }
  }
  return moved;
}

/** The counters of one value that move, or that moves back and forth leave as they are. */
function movesOf(text: string, moves: Moves, depthIn: DepthIn): Moved[] {
  const all: Moved[] = [];
  const known = moves.buckets.size > 1 ? new Map<number, Moved>() : undefined;
  for (const [finestBucket, by] of moves.buckets) {
    const deepest = deepestOf(moves, { text, bucket: finestBucket, depthIn });
    for (let number = 1; number <= deepest; number++) {
      const level = levelAt(number);
      const bucket = bucketIn(finestBucket, level);
      const other = known?.get(bucketId(bucket, level));
      if (other !== undefined) {
        other.by += by;
        continue;
      }
      const one = { key: moves.key, text, level, bucket, by, isFinest: number === deepest };
      known?.set(bucketId(bucket, level), one);
      all.push(one);
    }
  }
  return all;
}
