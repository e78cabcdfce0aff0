import type { DayOfUsage } from "../model/ports/ports.ts";
import type { Charge } from "../model/store.ts";
import type { RecordOf } from "../model/resource.ts";
import type { usageRecords } from "../model/resources/views/usage_records.ts";
import { iso8601 } from "../base/wire.ts";

export type UsageRecord = RecordOf<typeof usageRecords>;

const units = {
  calls: "minutes",
  sms: "messages",
  phonenumbers: "numbers",
  transcriptions: "minutes",
} as const satisfies Record<Charge["category"], UsageRecord["usageUnit"]>;

/** The records of an account's days: each category that was charged, then the day's total. */
export function summarize(accountSid: string, days: DayOfUsage[]): UsageRecord[] {
  return days.flatMap(({ day, sums }) => {
    const date = iso8601(day).slice(0, 10);
    const base = { sid: "", accountSid, dateCreated: day, dateUpdated: day };
    const dated = { ...base, day, startDate: date, endDate: date };
    const count = sums.reduce((total, sum) => total + sum.count, 0);
    const priceMicros = sums.reduce((total, sum) => total + sum.priceMicros, 0);
    const categories = sums.map((sum): UsageRecord => ({
      ...dated,
      category: sum.category,
      count: sum.count,
      usage: sum.usage,
      usageUnit: units[sum.category],
      price: money(sum.priceMicros),
    })).toSorted((a, b) => a.category < b.category ? -1 : 1);
    const price = money(priceMicros);
    const total = { category: "totalprice", count, usage: count, usageUnit: "charges" } as const;
    return [...categories, { ...dated, ...total, price }];
  });
}

/** An amount in millionths as a decimal number with at least two places. */
export function money(micros: number): string {
  const text = (micros / 1_000_000).toFixed(6);
  return text.replace(/0{1,4}$/, "");
}
