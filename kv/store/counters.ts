import { type Batch, type Moves, stageMove } from "./batch.ts";
import { type FieldPlace, type IndexValue, keys } from "./keys.ts";

/**
 * Counters say how many index entries fall into a bucket: a stretch of time, by the time of their
 * Sid, which never changes. Level 1 counts by 2^29 ms (6 days): sixty reads a year give the total.
 * Finer levels split that into pieces of 2^21 ms (35 minutes) and 2^15 ms (33 s). So a few hundred
 * reads find the n-th entry, however deep it lies. Each level costs every write, so there are few.
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
];

/** The level with a number: 1 is the coarsest. */
export function levelAt(number: number): Level {
  const level = levels[number - 1];
  if (level === undefined) throw new RangeError(`Cannot count by level ${number}`);
  return level;
}

/**
 * How many levels an index has: 3 that of all records, whose entries are long. The others have 2:
 * passing over some hundred empty entries is quick. Records leave values such as a status of calls,
 * and each bucket then keeps a counter of 0, which is not removed.
 */
export type Depth = 2 | 3;

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
  const bucket = bucketAt(ms, levelAt(depth));
  stageMove(batch, { key: keys.counters(counted), depth }, bucket, by);
}

/** Calls `visit` for each counter that moves, with the distance. */
export function eachMoved(
  { depth, buckets }: Moves,
  visit: (level: Level, bucket: number, by: number) => void,
): void {
  let moved = buckets;
  for (let number = depth; number > 0; number--) {
    const level = levelAt(number);
    for (const [bucket, by] of moved) if (by !== 0) visit(level, bucket, by);
    if (number > 1) moved = coarser(moved, levelAt(number - 1).width / level.width);
  }
}

/** The same moves by coarser buckets, each as wide as `width` of these. */
function coarser(buckets: Map<number, number>, width: number): Map<number, number> {
  const wide = new Map<number, number>();
  for (const [bucket, by] of buckets) {
    const at = Math.floor(bucket / width);
    wide.set(at, (wide.get(at) ?? 0) + by);
  }
  return wide;
}
