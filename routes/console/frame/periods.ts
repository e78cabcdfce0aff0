/** A span of time in equal periods, oldest first; times in ms. */
export interface Periods {
  from: number;
  stepMs: number;
  count: number;
}

/** The periods up to now: each begins at a whole multiple of its length. */
export function periodsUpTo(now: number, stepMs: number, count: number): Periods {
  const until = (Math.floor(now / stepMs) + 1) * stepMs;
  return { from: until - count * stepMs, stepMs, count };
}

/** The starts of the periods, in ms. */
export const startsOf = ({ from, stepMs, count }: Periods): number[] =>
  Array.from({ length: count }, (_, at) => from + at * stepMs);

/** Counts instants by period; those outside count for none. */
export function countsOf(instants: Iterable<number>, { from, stepMs, count }: Periods): number[] {
  const counts = Array<number>(count).fill(0);
  for (const instant of instants) {
    const at = Math.floor((instant - from) / stepMs);
    if (counts[at] !== undefined) counts[at]++;
  }
  return counts;
}
