import assert from "node:assert/strict";
import { createTimers } from "../../../sip/base/timers.ts";
import { fakeTime } from "../../support/process/fake_time.ts";

Deno.test("after() fires each timer at its time, those of one length too", () => {
  using time = fakeTime();
  const { after } = createTimers();
  const fired: string[] = [];
  after(100, () => fired.push("first"));
  time.advance(40);
  const stop = after(100, () => fired.push("stopped"));
  after(100, () => fired.push("second"));
  after(10, () => fired.push("short"));
  stop();
  time.advance(50);
  assert.deepEqual(fired, ["short"]);
  time.advance(10);
  assert.deepEqual(fired, ["short", "first"]);
  time.advance(39);
  assert.deepEqual(fired, ["short", "first"]);
  time.advance(1);
  assert.deepEqual(fired, ["short", "first", "second"]);
  assert.equal(time.waiting(), 0);
});

Deno.test("after() can be called, and a timer stopped, by a timer that fires", () => {
  using time = fakeTime();
  const { after, clear } = createTimers();
  const fired: string[] = [];
  after(5, () => {
    stop();
    after(5, () => fired.push("set by the first"));
  });
  const stop = after(5, () => fired.push("stopped by the first"));
  time.advance(10);
  assert.deepEqual(fired, ["set by the first"]);
  after(5, () => fired.push("cleared"));
  clear();
  after(5, () => fired.push("too late"));
  time.advance(10);
  assert.deepEqual(fired, ["set by the first"]);
  assert.equal(time.waiting(), 0);
});

Deno.test("after() goes on with the others when a timer throws", () => {
  using time = fakeTime();
  const { after } = createTimers();
  let fired = false;
  after(5, () => {
    throw new Error("broken");
  });
  after(5, () => fired = true);
  assert.throws(() => time.advance(5), /broken/);
  time.advance(5);
  assert.ok(fired);
});
