import { interval } from "../base/dates.ts";
import { Fault } from "../base/faults.ts";
import { limits } from "../base/limits.ts";
import type { Base } from "../base/record.ts";
import { iso8601 } from "../base/wire.ts";
import { sliceOf } from "../model/rest/paging.ts";
import {
  allDays,
  dayMs,
  spanOf,
  usageOf,
  type UsagePeriod,
  usagePeriods,
} from "../usage/periods.ts";
import { money, type UsageRecord } from "../usage/summarize.ts";
import { equal } from "./noun/filters.ts";
import { type Asked, type Filter, noun, type Written } from "./noun/noun.ts";
import { apiVersion, currency } from "./noun/written.ts";

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

/** The midnight of a day so many days from today, in ms: `-30days`, `+1day`. */
function offset(text: string, now: number): number | undefined {
  // In a query string that was not encoded, a plus sign arrives as a space.
  const [, sign, days] = /^([-+ ])(\d{1,5})days?$/i.exec(text) ?? [];
  if (days === undefined) return undefined;
  return now - now % dayMs + (sign === "-" ? -1 : 1) * Number(days) * dayMs;
}

/** A date filter of usage: a day, or so many days before or after today. */
const day = (isEnd: boolean): Filter => ({
  state: "works",
  note: "a day in UTC, or an offset such as `-30days`",
  conditions(text, _operator, { now }) {
    const start = /^\d{4}-\d\d-\d\d$/.test(text) ? interval("", text)?.from : offset(text, now);
    if (start === undefined) {
      const rule = "must be a date as YYYY-MM-DD, or days from today as -30days";
      throw new Fault("badParameter", rule);
    }
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
  StartDate: day(false),
  EndDate: day(true),
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

const usage = ({ segment, period, within }: UsagePeriod) =>
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
        const { account, ports } = asked;
        const records = await usageOf(account, { span, period, isDeep }, ports);
        return sliceOf(records, { ...query, where: others });
      },
    },
  });

/** Charges of an account, by category and period. */
export const usageRecords = [
  ...usagePeriods.map(usage),
  usage({ segment: "", period: "all", within: allDays }),
];

type Balance = Base & { micros: number };

/** Balance of an account: nothing is paid in advance here, so it is the sum of charges, negative. */
export const balance = noun<Balance>({
  type: "Balance",
  path: "Balance",
  plural: "balances",
  isSingle: true,
  note: "the sum of all charges, negative: nothing is paid in advance",
  fields: {
    account_sid: ({ accountSid }) => accountSid,
    balance: ({ micros }) => money(-micros),
    currency,
  },
  address: null,
  async fetch({ account, ports }) {
    const days = await ports.ledger.days(account.sid, allDays());
    const micros = days.flatMap(({ sums }) => sums)
      .reduce((total, { priceMicros }) => total + priceMicros, 0);
    return { sid: "", accountSid: account.sid, dateCreated: 0, dateUpdated: 0, micros };
  },
});
