import assert from "node:assert/strict";
import { mediaLimits } from "../../sip/media/limits.ts";
import { createTicker } from "../../sip/media/ticker.ts";
import { handClock } from "../support/hand_clock.ts";

Deno.test("createTicker() keeps 50 frames a second when every timer fires late", () => {
  const clock = handClock();
  let frames = 0;
  const stop = createTicker(clock).turn().listen("send", () => frames++);

  clock.advance(10_000, 7);

  assert.ok(Math.abs(frames - 500) <= 1, `${frames} frames in 10 s`);
  stop();
});

Deno.test("createTicker() makes up for a stall at once, up to its bound", () => {
  const clock = handClock();
  let frames = 0;
  const stop = createTicker(clock).turn().listen("send", () => frames++);

  clock.advance(120, 100);
  assert.equal(frames, 6);
  frames = 0;
  clock.advance(6_000, 5_000);

  assert.equal(frames, 1 + mediaLimits.catchUpFrames);
  stop();
});

Deno.test("createTicker() holds a timer only while somebody listens", () => {
  const clock = handClock();
  const turn = createTicker(clock).turn();
  assert.equal(clock.waiting(), 0);

  const stops = [turn.listen("send", () => {}), turn.listen("send", () => {})];
  assert.equal(clock.waiting(), 1);

  for (const stop of stops) stop();
  assert.equal(clock.waiting(), 0);
});

Deno.test("createTicker() calls nobody who stopped listening within the same frame", () => {
  const clock = handClock();
  const turn = createTicker(clock).turn();
  let calls = 0;
  const stopFirst = turn.listen("send", () => (stopFirst(), stopSecond()));
  const stopSecond = turn.listen("send", () => calls++);

  clock.advance(100);

  assert.equal(calls, 0);
  assert.equal(clock.waiting(), 0);
});

Deno.test("createTicker() goes on with one timer when the only listener changes in a frame", () => {
  const clock = handClock();
  const turn = createTicker(clock).turn();
  let frames = 0;
  let stop = turn.listen("send", () => {
    stop();
    stop = turn.listen("send", () => frames++);
  });

  clock.advance(20);
  assert.equal(clock.waiting(), 1);
  clock.advance(200);

  assert.equal(frames, 10);
  stop();
});

Deno.test("createTicker() calls all that hear before any that sends, at each frame made up for", () => {
  const clock = handClock();
  const turn = createTicker(clock).turn();
  const calls: string[] = [];
  const stops = [
    turn.listen("send", () => calls.push("send")),
    turn.listen("hear", () => calls.push("hear")),
    turn.listen("send", () => calls.push("send")),
    turn.listen("hear", () => calls.push("hear")),
  ];

  clock.advance(50, 30);

  const frame = ["hear", "hear", "send", "send"];
  assert.deepEqual(calls, [...frame, ...frame]);
  for (const stop of stops) stop();
  assert.equal(clock.waiting(), 0);
});

Deno.test("createTicker() goes on for the others when one throws", () => {
  const clock = handClock();
  const errors: unknown[] = [];
  const turn = createTicker(clock, (error) => errors.push(error)).turn();
  let frames = 0;
  const stops = [
    turn.listen("hear", () => {
      throw new Error("broken");
    }),
    turn.listen("hear", () => frames++),
  ];

  clock.advance(100);

  assert.equal(frames, 5);
  assert.equal(errors.length, 5);
  for (const stop of stops) stop();
});
