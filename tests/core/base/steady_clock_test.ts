import assert from "node:assert/strict";
import {
  awakeNow,
  createAwakeClock,
  startAwakeClock,
  steadyFrom,
  wallFrom,
} from "../../../core/base/steady_clock.ts";
import { handClock } from "../../support/service/hand_clock.ts";

Deno.test("steadyFrom() and wallFrom() keep the time until a date, wherever the wall clock is", () => {
  const clock = handClock(1_000);
  const clocks = { now: () => clock.now, steadyNow: () => clock.steady };
  clock.step(-600);
  assert.equal(steadyFrom(clock.now + 50, clocks), clock.steady + 50);
  assert.equal(wallFrom(clock.steady + 50, clocks), clock.now + 50);
});

Deno.test("an awake clock leaves out the spans in which its process stood", () => {
  let time = 0;
  const looks: (() => void)[] = [];
  using awake = createAwakeClock(() => time, (_, look) => (looks.push(look), () => looks.pop()));
  const run = (ms: number) => {
    for (const end = time + ms; time < end;) {
      time += 250;
      for (const look of looks) look();
    }
  };
  run(10_000);
  assert.equal(awake.now(), 10_000);
  time += 25_000; // SIGSTOP: the first who looks afterwards need not be the timer.
  assert.equal(awake.now(), 10_250);
  run(5_000);
  assert.equal(awake.now(), 15_250);
  time += 1_000; // A long task is no stop.
  assert.equal(awake.now(), 16_250);
});

Deno.test("awakeNow() is the steady clock again once the awake clock is disposed of", () => {
  const stopped: string[] = [];
  const clock = startAwakeClock(() => () => void stopped.push("looks"));
  assert.ok(Math.abs(clock.now() - (performance.timeOrigin + performance.now())) < 1_000);
  clock[Symbol.dispose]();
  assert.deepEqual(stopped, ["looks"]);
  assert.ok(Math.abs(awakeNow() - (performance.timeOrigin + performance.now())) < 1_000);
});
