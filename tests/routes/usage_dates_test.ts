import assert from "node:assert/strict";
import { startApp } from "../support/service/app.ts";

const segments = ["", "/Today", "/Yesterday", "/ThisMonth", "/LastMonth", "/Daily", "/Monthly"]
  .concat("/Yearly", "/AllTime");

/** Ranges that end before they begin, with the earliest and the latest day. */
const reversed = [
  ["2026-11-01", "2026-10-01"],
  ["9999-12-31", ""],
  ["9999-12-31", "0001-01-01"],
  ["", "0001-01-01"],
  ["2024-02-01", "2024-01-31"],
];

Deno.test("usage of a range that ends before it begins is empty at both interfaces", async () => {
  using app = await startApp();
  await app.root.post("IncomingPhoneNumbers.json", { PhoneNumber: "+14155550199" });
  for (const [start, end] of reversed) {
    const query = new URLSearchParams({
      ...start && { StartDate: start },
      ...end && { EndDate: end },
    });
    for (const segment of segments) {
      const path = `/2010-04-01/Accounts/${app.root.sid}/Usage/Records${segment}.json?${query}`;
      const read = await app.root.get(path);
      assert.deepEqual([read.status, read.json().usage_records], [200, []], path);
    }
    const own = new URLSearchParams({
      ...start && { "StartTime>": start },
      ...end && { "EndTime<": end },
    });
    const read = await app.root.get(`Usage/Records.json?${own}`);
    assert.ok(read.status < 500, `${own} ${read.status}`);
  }
});

Deno.test("a list of any resource answers a range of dates that ends before it begins", async () => {
  using app = await startApp();
  const paths = ["Calls", "SMS/Messages", "Recordings", "Notifications", "AuditEntries"];
  for (const path of [...paths, "Transcriptions", "Webhooks/Deliveries", "Usage/Records"]) {
    for (const name of ["StartTime", "EndTime", "DateCreated", "StartDate", "MessageDate"]) {
      for (
        const range of [
          `${name}>=9999-12-31&${name}<=0001-01-01`,
          `${name}>=2026-11-02&${name}<=2026-11-01`,
        ]
      ) {
        const read = await app.root.get(`${path}.json?${range}`);
        assert.ok(read.status < 500, `${path}?${range}: ${read.text}`);
      }
    }
  }
});

Deno.test("a day that no calendar has is refused with 400", async () => {
  using app = await startApp();
  for (const day of ["2026-02-30", "2026-13-01", "2025-02-29", "2026-00-10", "2026-1-1", "x"]) {
    for (const [name, own] of [["StartDate", "StartTime"], ["EndDate", "EndTime"]]) {
      const path = `/2010-04-01/Accounts/${app.root.sid}/Usage/Records.json?${name}=${day}`;
      assert.equal((await app.root.get(path)).status, 400, path);
      assert.equal((await app.root.get(`Usage/Records.json?${own}=${day}`)).status, 400, day);
    }
  }
});
