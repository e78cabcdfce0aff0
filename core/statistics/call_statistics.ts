import type { Condition } from "../base/filters.ts";
import type { Ports } from "../ports/ports.ts";
import type { Call } from "../resources/calls.ts";
import type { CallPeriod } from "../resources/views/statistics.ts";
import { isLive } from "../values/status.ts";

/** A span of time in equal periods; times in ms. */
export interface Span {
  from: number;
  periodMs: number;
  periods: number;
}

/** Calls that are looked at: in one list, and in each period where more began. */
const [most, mostOfPeriod] = [500, 20];

export interface CallStatistics {
  calls: number;
  sampledCalls: number;
  setupMedian: number | null;
  setupLong: number | null;
  periods: CallPeriod[];
}

interface Sample {
  calls: Call[];
  total: number;
}

/**
 * What became of the calls that began in a span of time. Reads 500 calls where no more began, else the
 * latest 20 of each period: totals are exact, outcomes then estimates.
 */
export async function callStatistics(
  accountSid: string,
  span: Span,
  ports: Pick<Ports, "records">,
): Promise<CallStatistics> {
  const { from, periodMs, periods } = span;
  const sampleOf = async (from: number, before: number, limit: number): Promise<Sample> => {
    const where: Condition[] = [{ field: "startTime", op: "between", from, before }];
    const { items, total } = await ports.records.calls.list(accountSid, { where, skip: 0, limit });
    return { calls: items, total };
  };
  const starts = Array.from({ length: periods }, (_, at) => from + at * periodMs);
  const before = from + periods * periodMs;
  const { total } = await sampleOf(from, before, 1);
  const samples = total > most
    ? await Promise.all(starts.map((start) => sampleOf(start, start + periodMs, mostOfPeriod)))
    : apart((await sampleOf(from, before, most)).calls, span);
  const calls = samples.flatMap(({ calls }) => calls);
  const setups = calls.flatMap(setupOf).sort((a, b) => a - b);
  return {
    calls: total,
    sampledCalls: calls.length,
    setupMedian: setups[Math.floor((setups.length - 1) * 0.5)] ?? null,
    setupLong: setups[Math.floor((setups.length - 1) * 0.95)] ?? null,
    periods: starts.map((startTime, at) => ({
      startTime,
      ...outcomesOf(samples[at] ?? { calls: [], total: 0 }),
    })),
  };
}

/** The calls of each period. */
function apart(calls: Call[], { from, periodMs, periods }: Span): Sample[] {
  const samples: Sample[] = Array.from({ length: periods }, () => ({ calls: [], total: 0 }));
  for (const call of calls) {
    const sample = samples[Math.floor(((call.startTime ?? from) - from) / periodMs)];
    if (sample === undefined) continue;
    sample.calls.push(call);
    sample.total++;
  }
  return samples;
}

/** How long the answer took, where there was one. */
const setupOf = ({ startTime, answeredAt }: Call): number[] =>
  startTime === null || answeredAt === null ? [] : [Math.max(0, answeredAt - startTime)];

/** Outcomes of a period; those of a sample stand for all calls of it. */
function outcomesOf({ calls, total }: Sample): Omit<CallPeriod, "startTime"> {
  const scale = calls.length === 0 ? 0 : total / calls.length;
  const count = (fits: (call: Call) => boolean) => Math.round(calls.filter(fits).length * scale);
  const ended = (status: Call["status"]) => count((call) => call.status === status);
  return {
    total,
    live: count(({ status }) => isLive(status)),
    completed: ended("completed"),
    busy: ended("busy"),
    noAnswer: ended("no-answer"),
    canceled: ended("canceled"),
    failed: ended("failed"),
  };
}
