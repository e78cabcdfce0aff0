import type { Condition } from "../base/filters.ts";
import { sidTime } from "../base/sid.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Call } from "../model/resources/calls.ts";
import type { CallFailure, CallPeriod } from "../model/resources/views/statistics.ts";
import { isLive } from "../model/values/status.ts";

/** A span of time in equal periods; times in ms. */
export interface Span {
  from: number;
  periodMs: number;
  periods: number;
}

/** Calls that are looked at: in one list, and in each period where more were created. */
const [most, mostOfPeriod] = [500, 20];

export interface CallStatistics {
  calls: number;
  sampledCalls: number;
  setupMedian: number | null;
  setupLong: number | null;
  periods: CallPeriod[];
  failures: CallFailure[];
}

/**
 * Outcomes of the calls that were created in a span of time, also of those that failed before an
 * INVITE left. Reads 500 calls where no more were created, else the latest 20 of each period:
 * totals are exact, outcomes then estimates.
 */
export async function callStatistics(
  accountSid: string,
  span: Span,
  ports: Pick<Ports, "records" | "now" | "steadyNow">,
): Promise<CallStatistics> {
  const { from, periodMs, periods } = span;
  const before = from + periods * periodMs;
  const where: Condition[] = [{ field: "sid", op: "made", from, before }];
  const list = (limit: number) => ports.records.calls.list(accountSid, { where, skip: 0, limit });
  const starts = Array.from({ length: periods }, (_, at) => from + at * periodMs);
  const { total } = await list(1);
  const sums = total > most
    ? await Promise.all(starts.map((start) => {
      const period = { accountSid, from: start, before: start + periodMs };
      return periodSums(period, mostOfPeriod, ports);
    }))
    : apart((await list(most)).items, span).map(sumsOf);
  const setups = sums.flatMap(({ setups }) => setups).sort((a, b) => a - b);
  return {
    calls: total,
    sampledCalls: sumOf(sums.map(({ sampled }) => sampled)),
    setupMedian: setups[Math.floor((setups.length - 1) * 0.5)] ?? null,
    setupLong: setups[Math.floor((setups.length - 1) * 0.95)] ?? null,
    periods: sums.map(({ outcomes }, at) => ({ startTime: from + at * periodMs, ...outcomes })),
    failures: failuresOf(
      sums.flatMap(({ failures }) => failures),
      sumOf(sums.map(({ outcomes }) => outcomes.failed)),
    ),
  };
}

const sumOf = (numbers: number[]): number => numbers.reduce((sum, one) => sum + one, 0);

/** The calls of each period. */
function apart(calls: Call[], { from, periodMs, periods }: Span): Sample[] {
  const samples: Sample[] = Array.from({ length: periods }, () => ({ calls: [], total: 0 }));
  for (const call of calls) {
    const sample = samples[Math.floor((sidTime(call.sid) - from) / periodMs)];
    if (sample === undefined) continue;
    sample.calls.push(call);
    sample.total++;
  }
  return samples;
}

/** Adds up the failures of the same cause and SIP status. Counts are whole and add up to `failed`. */
function failuresOf(all: CallFailure[], failed: number): CallFailure[] {
  const groups = Map.groupBy(all, ({ cause, sipResponseCode }) => `${cause} ${sipResponseCode}`);
  const summed = [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first ? [{ ...first, count: sumOf(group.map(({ count }) => count)) }] : [];
  }).sort((one, other) => other.count - one.count);
  const scale = failed / sumOf(summed.map(({ count }) => count));
  let [exact, given] = [0, 0]; // The remainder of one count goes to the next.
  return summed.map((one) => {
    exact += one.count * scale;
    const count = Math.round(exact) - given;
    given += count;
    return { ...one, count };
  }).filter(({ count }) => count > 0);
}

/** The calls of a period that were read, and how many were created in it. */
export interface Sample {
  calls: Call[];
  total: number;
}

/** Outcomes of the calls of a period; those of a sample stand for all calls of it. */
export interface PeriodSums {
  outcomes: Omit<CallPeriod, "startTime">;
  sampled: number;
  /** Times to answer, in ms. */
  setups: number[];
  /** Failed calls by cause; counts of a sample may have fractions. */
  failures: CallFailure[];
}

/** Adds up a sample. */
export function sumsOf({ calls, total }: Sample): PeriodSums {
  const scale = calls.length === 0 ? 0 : total / calls.length;
  const count = (fits: (call: Call) => boolean) => Math.round(calls.filter(fits).length * scale);
  const ended = (status: Call["status"]) => count((call) => call.status === status);
  const failed = calls.filter(({ status }) => status === "failed");
  return {
    outcomes: {
      total,
      live: count(({ status }) => isLive(status)),
      completed: ended("completed"),
      busy: ended("busy"),
      noAnswer: ended("no-answer"),
      canceled: ended("canceled"),
      failed: ended("failed"),
    },
    sampled: calls.length,
    setups: calls.flatMap(setupOf),
    failures: failed.map((call) => ({ ...endOf(call), count: scale })),
  };
}

/** Time to answer in ms, for an answered call. */
const setupOf = ({ startTime, answeredAt }: Call): number[] =>
  startTime === null || answeredAt === null ? [] : [Math.max(0, answeredAt - startTime)];

/** A call that was stored before `disconnection` existed has none. */
const endOf = ({ disconnection }: Call): Omit<CallFailure, "count"> => ({
  cause: disconnection?.cause ?? null,
  sipResponseCode: disconnection?.sipStatus ?? null,
});

/** A period of an account; times in ms. */
export interface Period {
  accountSid: string;
  from: number;
  before: number;
}

/**
 * Time for which the sums of a period are cached, the least time since its end, both in ms, and the
 * most periods in the cache.
 */
const [keptMs, settledMs, mostKept] = [600_000, 60_000, 2_000];

interface Kept {
  sums: PeriodSums;
  readAt: number;
}

/** Sums of past periods, by store. */
const kept = new WeakMap<Ports["records"], Map<string, Kept>>();

/**
 * The sums of a period, from its latest `limit` calls. A past period is read once in ten minutes: the
 * outcomes of ended calls do not change. While one of the calls that were read is live, it is read each
 * time.
 */
export async function periodSums(
  { accountSid, from, before }: Period,
  limit: number,
  { records, now, steadyNow }: Pick<Ports, "records" | "now" | "steadyNow">,
): Promise<PeriodSums> {
  const known = kept.get(records) ?? new Map<string, Kept>();
  kept.set(records, known);
  const [key, readAt] = [`${accountSid} ${from} ${before}`, steadyNow()];
  const found = known.get(key);
  if (found !== undefined && readAt - found.readAt < keptMs) return found.sums;
  const where: Condition[] = [{ field: "sid", op: "made", from, before }];
  const { items, total } = await records.calls.list(accountSid, { where, skip: 0, limit });
  const sums = sumsOf({ calls: items, total });
  known.delete(key);
  if (sums.outcomes.live > 0 || now() - before < settledMs) return sums;
  known.set(key, { sums, readAt });
  const [oldest] = known.keys();
  if (known.size > mostKept && oldest !== undefined) known.delete(oldest);
  return sums;
}
