import type { Condition } from "../base/filters.ts";
import { sidTime } from "../base/sid.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Call } from "../model/resources/calls.ts";
import type { CallFailure, CallPeriod } from "../model/resources/views/statistics.ts";
import { periodSums, type Sample, sumsOf } from "./period_sums.ts";

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
