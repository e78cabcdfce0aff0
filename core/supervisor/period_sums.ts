import type { Condition } from "../base/filters.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Call } from "../model/resources/calls.ts";
import type { CallFailure, CallPeriod } from "../model/resources/views/statistics.ts";
import { isLive } from "../model/values/status.ts";

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
  /** Failed calls by what ended them; counts of a sample may have fractions. */
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
