import { subtree } from "../accounts/walk.ts";
import { interval } from "../base/dates.ts";
import { Fault } from "../base/faults.ts";
import { limits } from "../base/limits.ts";
import type { Condition } from "../base/filters.ts";
import type { Base } from "../base/record.ts";
import { iso8601 } from "../base/wire.ts";
import type { DayOfUsage } from "../ports/ports.ts";
import { sliceOf } from "../rest/paging.ts";
import { money, summarize, type UsageRecord } from "../usage/summarize.ts";
import { equal } from "./noun/filters.ts";
import { type Asked, type Filter, noun, type Written } from "./noun/noun.ts";
import { apiVersion, currency } from "./noun/written.ts";

const dayMs = 86_400_000;

/** Days from `from` up to but without `before`, in ms. */
interface Span {
  from: number;
  before: number;
}

/** How the days of a span are put together. */
type Period = "all" | "day" | "month" | "year";

const monthOf = (ms: number, months = 0): number => {
  const at = new Date(ms);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months);
};

/** The bounds of the period that a day is in; of `all`, those of what was asked. */
function boundsOf(day: number, period: Period, asked: Span): Span {
  const year = new Date(day).getUTCFullYear();
  if (period === "day") return { from: day, before: day + dayMs };
  if (period === "month") return { from: monthOf(day), before: monthOf(day, 1) };
  if (period === "year") return { from: Date.UTC(year, 0), before: Date.UTC(year + 1, 0) };
  return asked;
}

const dateOf = (ms: number): string => iso8601(ms).slice(0, 10);

/** The intersection of what the filters ask for. */
function spanOf(where: Condition[], within: Span): Span {
  const spans = where.filter((condition) => condition.op === "between");
  return {
    from: Math.max(within.from, ...spans.map(({ from }) => from)),
    before: Math.min(within.before, ...spans.map(({ before }) => before)),
  };
}

const units: Record<string, string> = {
  calls: "calls",
  sms: "messages",
  phonenumbers: "numbers",
  transcriptions: "transcriptions",
  totalprice: "charges",
};

const descriptions: Record<string, string> = {
  calls: "Calls",
  sms: "Messages",
  phonenumbers: "Phone numbers",
  transcriptions: "Transcriptions",
  totalprice: "Total price",
};

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
async function usageOf(
  { account, ports }: Asked,
  { span, period, isDeep }: { span: Span; period: Period; isDeep: boolean },
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

/** A date filter of usage: a day, or so many days before or after today. */
const day = (isEnd: boolean): Filter => ({
  state: "works",
  note: "a day in UTC, or an offset such as `-30days`",
  conditions(text) {
    const start = /^\d{4}-\d\d-\d\d$/.test(text) ? interval("", text)?.from : undefined;
    if (start === undefined) throw new Fault("badParameter", "must be a date as YYYY-MM-DD");
    return [{
      field: "day",
      op: "between",
      from: isEnd ? -Infinity : start,
      before: isEnd ? start + dayMs : Infinity,
    }];
  },
});

/** The categories of charges. A finer one is refused: an empty list would say that it cost nothing. */
const categories = Object.keys(units);

const filters: Record<string, Filter> = {
  Category: { ...equal("category", categories), note: categories.join(", ") },
  StartDate: { ...day(false), note: "a day in UTC" },
  EndDate: { ...day(true), note: "a day in UTC" },
  IncludeSubaccounts: { ...equal("deep", ["true", "false"]), note: "true unless sent" },
};

const segments: Record<string, string> = {
  all_time: "AllTime",
  daily: "Daily",
  last_month: "LastMonth",
  monthly: "Monthly",
  this_month: "ThisMonth",
  today: "Today",
  yearly: "Yearly",
  yesterday: "Yesterday",
};

const addressOf = (segment: string, query: Record<string, string>, { account }: Asked): string =>
  `/${limits.twilioApiVersion}/Accounts/${account.sid}/Usage/Records${
    segment === "" ? "" : `/${segment}`
  }.json?${new URLSearchParams(query)}`;

const shown: Written<UsageRecord> = {
  account_sid: ({ accountSid }) => accountSid,
  api_version: apiVersion,
  as_of: (_, { ports }) => iso8601(ports.now()).replace(/\.\d+Z$/, "+00:00"),
  category: ({ category }) => category,
  description: ({ category }) => descriptions[category] ?? category,
  start_date: ({ startDate }) => startDate,
  end_date: ({ endDate }) => endDate,
  count: ({ count }) => String(count),
  count_unit: ({ category }) => units[category] ?? "",
  usage: ({ usage }) => String(usage),
  usage_unit: ({ usageUnit }) => usageUnit,
  price: ({ price }) => price,
  price_unit: currency,
  subresource_uris: ({ category }, asked) =>
    Object.fromEntries(
      Object.entries(segments).map(([key, segment]) => [
        key,
        addressOf(segment, { Category: category }, asked),
      ]),
    ),
  uri: ({ category, startDate, endDate }, asked) =>
    addressOf("", { Category: category, StartDate: startDate, EndDate: endDate }, asked),
};

const ever = (): Span => ({ from: -Infinity, before: Infinity });

const usage = (segment: string, period: Period, within: (now: number) => Span = ever) =>
  noun<UsageRecord>({
    type: "UsageRecord",
    path: segment === "" ? "Usage/Records" : `Usage/Records/${segment}`,
    plural: "usage_records",
    fields: shown,
    address: null,
    listed: {
      filters,
      async read(asked, query) {
        const others = query.where.filter(({ field }) => field === "category");
        const isDeep = !query.where.some((one) =>
          one.field === "deep" && one.op === "equals" && one.value === "false"
        );
        const span = spanOf(query.where, within(asked.ports.now()));
        const records = await usageOf(asked, { span, period, isDeep });
        return sliceOf(records, { ...query, where: others });
      },
    },
  });

const dayOf = (now: number, days = 0): Span => {
  const from = now - now % dayMs + days * dayMs;
  return { from, before: from + dayMs };
};

/** What an account was charged, by category and period. */
export const usageRecords = [
  usage("AllTime", "all"),
  usage("Daily", "day"),
  usage("LastMonth", "all", (now) => ({ from: monthOf(now, -1), before: monthOf(now) })),
  usage("Monthly", "month"),
  usage("ThisMonth", "all", (now) => ({ from: monthOf(now), before: monthOf(now, 1) })),
  usage("Today", "all", (now) => dayOf(now)),
  usage("Yearly", "year"),
  usage("Yesterday", "all", (now) => dayOf(now, -1)),
  usage("", "all"),
];

type Balance = Base & { micros: number };

/** What an account owes: nothing is paid in advance here, so it is what was charged, negative. */
export const balance = noun<Balance>({
  type: "Balance",
  path: "Balance",
  plural: "balances",
  isSingle: true,
  note: "the sum of all charges, negative: nothing is paid in advance",
  fields: {
    account_sid: ({ accountSid }) => accountSid,
    balance: ({ micros }) => money(-micros),
    currency: () => null,
  },
  address: null,
  async fetch({ account, ports }) {
    const days = await ports.ledger.days(account.sid, ever());
    const micros = days.flatMap(({ sums }) => sums)
      .reduce((total, { priceMicros }) => total + priceMicros, 0);
    return { sid: "", accountSid: account.sid, dateCreated: 0, dateUpdated: 0, micros };
  },
});
