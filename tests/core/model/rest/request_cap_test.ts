import assert from "node:assert/strict";
import { createRequestCap } from "../../../../core/model/rest/rate_limits.ts";

/** A cap of two a second, and so twenty at once. */
function lab() {
  const clock = { now: 0 };
  const cap = createRequestCap(2, () => clock.now)!;
  /** How many of so many requests are answered. */
  const taken = (sid: string, count: number) =>
    Array.from({ length: count }, () => cap.take(sid)).filter((wait) => wait === 0).length;
  return { clock, cap, taken };
}

Deno.test("createRequestCap() lets ten seconds' worth through at once, then the rate", () => {
  const { clock, taken } = lab();

  assert.equal(taken("AC1", 100), 20);
  clock.now += 500;
  assert.equal(taken("AC1", 100), 1);
  clock.now += 3_000;
  assert.equal(taken("AC1", 100), 6);
  clock.now += 3_600_000;
  assert.equal(taken("AC1", 100), 20);
});

Deno.test("createRequestCap() counts each account by itself", () => {
  const { taken } = lab();

  assert.equal(taken("AC1", 100), 20);
  assert.equal(taken("AC2", 100), 20);
});

Deno.test("createRequestCap() returns the wait until a request will be answered", () => {
  const { clock, cap, taken } = lab();
  taken("AC1", 20);

  const wait = cap.take("AC1");

  assert.equal(wait, 1);
  clock.now += wait * 1000;
  assert.equal(cap.take("AC1"), 0);
});

Deno.test("createRequestCap() is not there at 0", () => {
  assert.equal(createRequestCap(0, () => 0), null);
});
