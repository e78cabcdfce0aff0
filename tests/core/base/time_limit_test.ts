import assert from "node:assert/strict";
import { timeLimit } from "../../../core/base/time_limit.ts";

Deno.test("a time limit aborts when its time is over, and says so", async () => {
  using limit = timeLimit(1);
  const aborted = Promise.withResolvers<void>();
  limit.signal.addEventListener("abort", () => aborted.resolve());
  await aborted.promise;
  assert.ok(limit.isOver);
  assert.equal(limit.signal.reason.name, "TimeoutError");
});

Deno.test("a time limit aborts as the signal around it does, before or after it was made", () => {
  for (const isBefore of [true, false]) {
    const around = new AbortController();
    if (isBefore) around.abort(new Error("stopped"));
    using limit = timeLimit(60_000, around.signal);
    around.abort(new Error("stopped"));
    assert.equal(limit.signal.reason.message, "stopped");
    assert.equal(limit.isOver, false);
  }
});

Deno.test("a disposed time limit holds neither its timer nor the signal around it", () => {
  const around = new AbortController();
  const limit = timeLimit(60_000, around.signal); // A timer that is left would fail the test.
  limit[Symbol.dispose]();
  around.abort();
  assert.equal(limit.signal.aborted, false);
});
