import { type Batch, stageSum } from "./batch.ts";
import { type FieldPlace, type IndexValue, keys } from "./keys.ts";

/**
 * Counters say how many index entries fall into a bucket: a stretch of time, by the time of their
 * Sid, which never changes. Level 1 is the UTC day; finer levels split it into pieces of 2^20 ms
 * (17 minutes) and 2^14 ms (16 s). So a few hundred reads find the n-th entry, however deep it lies.
 */
export interface Level {
  level: number;
  /** Bucket numbers a day takes, more than there are buckets in it. */
  perDay: number;
  /** Bits of the time of day that a bucket spans. */
  bits: number;
}

export const levels: readonly Level[] = [
  { level: 1, perDay: 1, bits: 27 },
  { level: 2, perDay: 1 << 7, bits: 20 },
  { level: 3, perDay: 1 << 13, bits: 14 },
];

/** How many levels an index has: 2 where values are many, 3 where they are few. */
export type Depth = 2 | 3;

/** Instants in ms, without `before`; either end may be infinite. */
export interface Span {
  from: number;
  before: number;
}

export const always: Span = { from: -Infinity, before: Infinity };

/** What both spans hold. */
export const overlap = (a: Span, b: Span): Span => ({
  from: Math.max(a.from, b.from),
  before: Math.min(a.before, b.before),
});

/** The end of the time that Sids can tell. */
export const timeEnd = 2 ** 48;

const dayMs = 86_400_000;

export const bucketAt = (ms: number, { perDay, bits }: Level): number =>
  Math.floor(ms / dayMs) * perDay + ((ms % dayMs) >>> bits);

export function spanOf(bucket: number, { perDay, bits }: Level): Span {
  const day = Math.floor(bucket / perDay) * dayMs;
  const from = day + (bucket % perDay) * 2 ** bits;
  return { from, before: Math.min(from + 2 ** bits, day + dayMs) };
}

/** The largest span inside this one that begins and ends with buckets of the finest level. */
export function wholeBuckets({ from, before }: Span, depth: Depth): Span {
  const level = levels[depth - 1]!;
  const bucket = (ms: number) => spanOf(bucketAt(ms, level), level);
  return {
    from: from <= 0 || from >= timeEnd ? from : bucket(from - 1).before,
    before: before <= 0 || before >= timeEnd ? before : bucket(before).from,
  };
}

/** An entry that comes or goes. */
export interface Counted {
  place: FieldPlace;
  value: IndexValue;
  depth: Depth;
  /** The time of its Sid. */
  ms: number;
}

/** Moves the counters of a value by one entry. The batch must check the entry's record. */
export function stageCount(batch: Batch, { place, value, depth, ms }: Counted, by: 1 | -1): void {
  stageSum(batch, keys.total(place, value), by);
  for (const level of levels.slice(0, depth)) {
    stageSum(batch, keys.counter(place, value, level.level, bucketAt(ms, level)), by);
  }
}
