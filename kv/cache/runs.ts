import type { AnyRecord } from "../../core/model/resource.ts";

/** Sids from `from` on and below `before`. */
export interface Bounds {
  from: string;
  before: string;
}

/** A window of the records between bounds, counted from the newest one. */
export interface Window {
  skip: number;
  limit: number;
}

/** Bounds without cached records, and the number of records that are wanted of them. */
export interface Gap extends Bounds {
  limit: number;
}

/** All records of a list between bounds, newest first and frozen. */
export interface Run extends Bounds {
  records: AnyRecord[];
  /** Bytes that they take in the store. */
  bytes: number;
}

/** Bytes of a run beside its records. */
export const runBytes = 256;

/** The result of `find`: from cached runs, and between them from runs that were read. */
export function firstOf(
  runs: Run[],
  read: Run[],
  { bounds: { from, before }, window: { skip, limit } }: { bounds: Bounds; window: Window },
): AnyRecord[] | Gap {
  const found: AnyRecord[] = [];
  let [end, left] = [before, skip];
  while (found.length < limit && end > from) {
    const below = runs[firstBelow(runs, end)];
    const isKnown = below !== undefined && below.before >= end;
    const low = isKnown || below === undefined || below.before < from ? from : below.before;
    const run = isKnown ? below : read.find((one) => one.from < end && one.before >= end);
    if (run === undefined) return { from: low, before: end, limit: left + limit - found.length };
    const isWhole = run.before === end && run.from >= low;
    const part = isWhole ? run : partOf(run, { from: low, before: end });
    found.push(...part.records.slice(left, left + limit - found.length));
    left = Math.max(0, left - part.records.length);
    end = part.from;
  }
  return found;
}

/**
 * The Sid of the `count`-th record between bounds, counted from the oldest one. If cached runs lack
 * it or an older one, the gap from there on, with the number of records that are still to be
 * counted.
 */
export function nthOldest(runs: Run[], { from, before }: Bounds, count: number): string | Gap {
  let [start, left] = [from, count];
  for (let at = firstBelow(runs, after(from)); start < before; at--) {
    const run = runs[at];
    if (run === undefined || run.from > start || run.before <= start) break;
    const end = run.before < before ? run.before : before;
    const { records } = partOf(run, { from: start, before: end });
    const found = records[records.length - left];
    if (found !== undefined) return found.sid;
    left -= records.length;
    start = end;
  }
  return { from: start, before, limit: left };
}

/** A bound right after a Sid, also as the bytes of a key. */
export const after = (sid: string): string => `${sid}00`;

/** Bytes of runs together. */
export const sumOf = (runs: Run[]): number => runs.reduce((sum, { bytes }) => sum + bytes, 0);

/** The position of the first run that begins below a Sid. */
export function firstBelow(runs: Run[], sid: string): number {
  let [low, high] = [0, runs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (runs[middle]!.from >= sid) low = middle + 1; // `middle` is below `high`.
    else high = middle;
  }
  return low;
}

/** The runs that overlap another run, newest first. */
export function overlapping(runs: Run[], { from, before }: Run): Run[] {
  const at = firstBelow(runs, before);
  let end = at;
  for (let run = runs[at]; run !== undefined && run.before > from; run = runs[end]) end++;
  return runs.slice(at, end);
}

/** The part of a run between bounds, with its share of the bytes. */
export function partOf({ records, bytes, ...run }: Run, bounds: Bounds): Run {
  const from = bounds.from > run.from ? bounds.from : run.from;
  const before = bounds.before < run.before ? bounds.before : run.before;
  const inside = records.filter(({ sid }) => sid >= from && sid < before);
  const share = inside.length / Math.max(1, records.length);
  return { from, before, records: inside, bytes: runBytes + (bytes - runBytes) * share };
}
