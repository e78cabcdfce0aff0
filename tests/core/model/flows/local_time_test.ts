import assert from "node:assert/strict";
import { flowErrors } from "../../../../core/model/flows/check_flow.ts";
import { isTimeZone, localTime } from "../../../../core/model/flows/local_time.ts";

const at = (date: string) => Date.parse(date);

Deno.test("localTime() returns date, time and weekday of a zone, over midnight and summer time", () => {
  for (
    const [zone, date, wanted] of [
      ["UTC", "2026-11-28T20:05:59Z", ["2026-11-28", "20:05", "6"]],
      ["Europe/Berlin", "2026-11-28T20:05:59Z", ["2026-11-28", "21:05", "6"]],
      ["Europe/Berlin", "2026-07-01T22:30:00Z", ["2026-07-02", "00:30", "4"]],
      ["America/New_York", "2026-11-29T03:00:00Z", ["2026-11-28", "22:00", "6"]],
      ["Pacific/Auckland", "2026-11-28T12:00:00Z", ["2026-11-29", "01:00", "7"]],
      ["Asia/Kolkata", "2026-11-29T18:30:00Z", ["2026-11-30", "00:00", "1"]],
      ["Europe/Berlin", "2026-03-29T01:30:00Z", ["2026-03-29", "03:30", "7"]],
    ] as const
  ) {
    const { LocalDate, LocalTime, Weekday } = localTime(zone, at(date));
    assert.deepEqual([LocalDate, LocalTime, Weekday], wanted, `${zone} ${date}`);
  }
});

Deno.test("a flow has a time zone of the IANA database alone", () => {
  const flow = (timeZone: string) =>
    JSON.stringify({ start: "a", timeZone, steps: { a: { type: "hangup" } } });
  const good = ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5"];
  const bad = ["", "Berlin", "Europe/Nowhere", "+01:00", "x".repeat(65), "Europe/Berlin\n"];
  assert.deepEqual(good.filter((zone) => !isTimeZone(zone)), []);
  assert.deepEqual(bad.filter(isTimeZone), []);
  assert.deepEqual(good.flatMap((zone) => flowErrors(flow(zone))), []);
  for (const zone of bad) assert.match(flowErrors(flow(zone)).join(), /timeZone/, zone);
});
