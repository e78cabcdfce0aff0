import assert from "node:assert/strict";
import { interval } from "../../../core/base/dates.ts";

const midnight = Date.UTC(2024, 1, 29);
const dayMs = 86_400_000;

Deno.test("interval() takes YYYY-MM-DD as a whole UTC day", () => {
  assert.deepEqual(interval("", "2024-02-29"), { from: midnight, before: midnight + dayMs });
  assert.deepEqual(interval(">", "2024-02-29"), { from: midnight, before: Infinity });
  assert.deepEqual(interval("<", "2024-02-29"), { from: -Infinity, before: midnight + 1 });
});

Deno.test("interval() takes an ISO 8601 instant in any offset", () => {
  const instant = { from: midnight + 3_600_500, before: midnight + 3_600_501 };
  for (
    const text of [
      "2024-02-29T01:00:00.500Z",
      "2024-02-29T03:00:00.500+02:00",
      "2024-02-29T03:00:00.500 02:00",
      "2024-02-28T20:00:00.500-05:00",
    ]
  ) assert.deepEqual(interval("", text), instant, text);
});

Deno.test("interval() is null when the text is no date", () => {
  for (
    const text of [
      "",
      "today",
      "2024",
      "2024-2-9",
      "2023-02-29",
      "2024-13-01",
      "2024-02-29T25:00:00Z",
      "2023-02-29T00:00:00Z",
      "2024-02-29T01:00:00",
      " 2024-02-29",
      "1709164800000",
    ]
  ) assert.equal(interval("", text), null, text);
});
