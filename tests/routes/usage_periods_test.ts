import assert from "node:assert/strict";
import { usagePeriods } from "../../core/usage/periods.ts";
import { startApp } from "../support/service/app.ts";

Deno.test("usage by period is the same sums at both interfaces", async () => {
  using app = await startApp();
  app.clock.now = Date.UTC(2026, 0, 31, 12);
  await app.root.post("IncomingPhoneNumbers.json", { PhoneNumber: "+14155550199" });
  app.clock.now = Date.UTC(2026, 1, 1, 12);
  await app.root.post("IncomingPhoneNumbers.json", { PhoneNumber: "+14155550198" });

  type Sum = { category: string; start_date: string; end_date: string; count: string };
  const told = ({ category, start_date, end_date, count }: Sum) => [
    category,
    start_date,
    end_date,
    Number(count),
  ];
  const counts: Record<string, number> = {
    AllTime: 2,
    Daily: 4,
    LastMonth: 2,
    Monthly: 4,
    ThisMonth: 2,
    Today: 2,
    Yearly: 2,
    Yesterday: 2,
  };
  for (const { segment } of usagePeriods) {
    const path = `Usage/Records/${segment}.json`;
    const own = (await app.root.get(path)).json();
    const theirs = await app.root.get(`/2010-04-01/Accounts/${app.root.sid}/${path}`);
    assert.deepEqual(own.map(told), theirs.json().usage_records.map(told), segment);
    assert.equal(own.length, counts[segment], segment);
  }
  const [month] = (await app.root.get("Usage/Records/Monthly.json?Category=phonenumbers")).json();
  assert.deepEqual([month.start_date, month.end_date, month.count], [
    "2026-02-01",
    "2026-02-28",
    "1",
  ]);
  const cut = await app.root.get("Usage/Records/Daily.json?StartTime>=2026-02-01");
  assert.equal(cut.json().length, 2);
  assert.match((await app.root.get("Usage/Records/Daily")).text, /<UsageRecords>/);
});
