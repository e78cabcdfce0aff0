import assert from "node:assert/strict";
import { type TimeLimit, timeLimit } from "../../../core/base/time_limit.ts";

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

Deno.test("time limits of one length end each at its time, also those that begin when one ends", async () => {
  const ended: string[] = [];
  const all: TimeLimit[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const begin = (name: string, then: () => void) => {
    const limit = timeLimit(5);
    all.push(limit);
    limit.signal.addEventListener("abort", () => {
      ended.push(name);
      limit[Symbol.dispose]();
      then();
    });
  };

  begin("first", () => {});
  begin("disposed", () => {});
  all[1]![Symbol.dispose]();
  begin("last", () => begin("after the last", resolve));
  await promise;

  assert.deepEqual(ended, ["first", "last", "after the last"]);
  assert.deepEqual(all.map(({ isOver }) => isOver), [true, false, true, true]);
});

const over = ({ signal }: TimeLimit) =>
  new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));

Deno.test("a time limit ends no earlier than its time, behind others of its length", async () => {
  using _first = timeLimit(20);
  using meanwhile = timeLimit(10);
  await over(meanwhile);
  const begunAt = performance.now();
  using limit = timeLimit(20);

  await over(limit);

  assert.ok(performance.now() - begunAt >= 20);
});
