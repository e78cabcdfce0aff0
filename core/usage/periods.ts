import { subtree } from "../accounts/walk.ts";
import type { Condition } from "../base/filters.ts";
import { iso8601 } from "../base/wire.ts";
import type { DayOfUsage, Ports } from "../model/ports/ports.ts";
import type { Account } from "../model/resources/accounts.ts";
import { summarize, type UsageRecord } from "./summarize.ts";

export const dayMs = 86_400_000;

/** Days from `from` up to but without `before`, in ms. */
export interface Span {
  from: number;
  before: number;
}

/** Grouping of the days of a span. */
export type Period = "all" | "day" | "month" | "year";

/** A list of usage below `Usage/Records`, such as `Daily`. */
export interface UsagePeriod {
  /** The segment of its path; empty for the list itself. */
  segment: string;
  period: Period;
  /** The days that it has at most. */
  within(now: number): Span;
}

/** All days. */
export const allDays = (): Span => ({ from: -Infinity, before: Infinity });

/** The days of a span that the date conditions of a list let pass. */
export function spanOf(where: Condition[], within: Span): Span {
  const spans = where.filter((condition) => condition.op === "between");
  return {
    from: Math.max(within.from, ...spans.map(({ from }) => from)),
    before: Math.min(within.before, ...spans.map(({ before }) => before)),
  };
}

const monthOf = (ms: number, months = 0): number => {
  const at = new Date(ms);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months);
};

const dayOf = (now: number, days = 0): Span => {
  const from = now - now % dayMs + days * dayMs;
  return { from, before: from + dayMs };
};

/** The lists of usage by period, at both interfaces. */
export const usagePeriods: readonly UsagePeriod[] = [
  { segment: "AllTime", period: "all", within: allDays },
  { segment: "Daily", period: "day", within: allDays },
  {
    segment: "LastMonth",
    period: "all",
    within: (now) => ({ from: monthOf(now, -1), before: monthOf(now) }),
  },
  { segment: "Monthly", period: "month", within: allDays },
  {
    segment: "ThisMonth",
    period: "all",
    within: (now) => ({ from: monthOf(now), before: monthOf(now, 1) }),
  },
  { segment: "Today", period: "all", within: (now) => dayOf(now) },
  { segment: "Yearly", period: "year", within: allDays },
  { segment: "Yesterday", period: "all", within: (now) => dayOf(now, -1) },
];

/** The bounds of the period that a day is in; of `all`, those of the query. */
function boundsOf(day: number, period: Period, asked: Span): Span {
  const year = new Date(day).getUTCFullYear();
  if (period === "day") return { from: day, before: day + dayMs };
  if (period === "month") return { from: monthOf(day), before: monthOf(day, 1) };
  if (period === "year") return { from: Date.UTC(year, 0), before: Date.UTC(year + 1, 0) };
  return asked;
}

const dateOf = (ms: number): string => iso8601(ms).slice(0, 10);

/** The sums of several days as those of one. */
function merged(day: number, days: DayOfUsage[]): DayOfUsage {
  const groups = Map.groupBy(days.flatMap(({ sums }) => sums), ({ category }) => category);
  const total = (of: DayOfUsage["sums"], name: "count" | "usage" | "priceMicros") =>
    of.reduce((sum, one) => sum + one[name], 0);
  return {
    day,
    sums: [...groups].map(([category, sums]) => ({
      category,
      count: total(sums, "count"),
      usage: total(sums, "usage"),
      priceMicros: total(sums, "priceMicros"),
    })),
  };
}

/** The usage of an account, and of those below it, period by period, the latest first. */
export async function usageOf(
  account: Pick<Account, "sid" | "dateCreated">,
  { span, period, isDeep }: { span: Span; period: Period; isDeep: boolean },
  ports: Pick<Ports, "accounts" | "ledger" | "now">,
): Promise<UsageRecord[]> {
  const days: DayOfUsage[] = [];
  for await (const sid of isDeep ? subtree(account.sid, ports.accounts) : [account.sid]) {
    days.push(...await ports.ledger.days(sid, span));
  }
  const first = Math.min(...days.map(({ day }) => day));
  const all = {
    from: Math.max(span.from, Math.min(first, account.dateCreated)),
    before: Math.min(span.before, ports.now() + 1),
  };
  const groups = Map.groupBy(days, ({ day }) => boundsOf(day, period, all).from);
  return [...groups].sort(([one], [other]) => other - one).flatMap(([from, days]) => {
    const { before } = boundsOf(from, period, all);
    return summarize(account.sid, [merged(from, days)])
      .map((record) => ({ ...record, startDate: dateOf(from), endDate: dateOf(before - 1) }));
  });
}
