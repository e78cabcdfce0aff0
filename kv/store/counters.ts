import { type Batch, type Moves, stageMove } from "./batch.ts";
import { type FieldPlace, type IndexValue, keys } from "./keys.ts";

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
 * How many levels an index has everywhere: 3 that of all records, whose entries are long. The others
 * have 2: passing over some hundred empty entries is quick. Records leave values such as a status of
 * calls, and each bucket then keeps a counter of 0, which is not removed.
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
export type DepthIn = (key: Deno.KvKey, text: string, window: number) => number;

/** A counter that a commit moves. */
export interface Moved {
  key: Deno.KvKey;
  /** The text of the key. */
  text: string;
  level: Level;
  bucket: number;
  by: number;
  /** No finer counter moves with it. */
  isFinest: boolean;
}

/** The windows in which some counters move. */
export function* windowsOf({ buckets }: Moves): Generator<number> {
  let last: number | undefined;
  for (const bucket of buckets.keys()) {
    const window = windowAt(bucket * finest.width);
    if (window !== last) yield window;
    last = window;
  }
}

/** The finest bucket of each move of a value, with its level: from there on coarser ones move too. */
export function* finestOf(
  text: string,
  { key, depth, buckets }: Moves,
  depthIn: DepthIn,
): Generator<{ ms: number; by: number; deepest: number }> {
  for (const [bucket, by] of buckets) {
    const ms = bucket * finest.width;
    yield { ms, by, deepest: Math.max(depth, depthIn(key, text, windowAt(ms))) };
  }
}

/**
 * The counters that move. One of a finer level than its index has everywhere is there also when it
 * moves by 0: entries came and went, and whoever counts them must notice.
 */
export function movedBy(counts: Batch["counts"], depthIn: DepthIn): Moved[] {
  const moved: Moved[] = [];
  for (const [text, moves] of counts) {
    const { key, depth } = moves;
    const known = new Map<number, Moved>();
    for (const { ms, by, deepest } of finestOf(text, moves, depthIn)) {
      for (const level of levels.slice(0, deepest)) {
        const bucket = bucketAt(ms, level);
        const id = bucket * levels.length + level.level;
        const other = known.get(id);
        if (other !== undefined) other.by += by;
        else known.set(id, { key, text, level, bucket, by, isFinest: level.level === deepest });
      }
    }
    for (const one of known.values()) {
      if (one.by !== 0 || one.level.level > depth) moved.push(one);
    }
  }
  return moved;
}
