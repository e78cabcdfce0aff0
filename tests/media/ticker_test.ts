import assert from "node:assert/strict";
import { mediaLimits } from "../../sip/media/limits.ts";
import { createTicker } from "../../sip/media/ticker.ts";
import { handClock } from "../support/hand_clock.ts";

Deno.test("createTicker() keeps 50 frames a second when every timer fires late", () => {
  const clock = handClock();
  let frames = 0;
  const stop = createTicker(clock).listen("send", () => frames++);

  clock.advance(10_000, 7);

  assert.ok(Math.abs(frames - 500) <= 1, `${frames} frames in 10 s`);
  stop();
});

Deno.test("createTicker() makes up for a stall at once, up to its bound", () => {
  const clock = handClock();
  let frames = 0;
  const stop = createTicker(clock).listen("send", () => frames++);

  clock.advance(120, 100);
  assert.equal(frames, 6);
  frames = 0;
  clock.advance(6_000, 5_000);

  assert.equal(frames, 1 + mediaLimits.catchUpFrames);
  stop();
});

Deno.test("createTicker() holds a timer only while somebody listens", () => {
  const clock = handClock();
  const ticker = createTicker(clock);
  assert.equal(clock.waiting(), 0);

  const stops = [ticker.listen("send", () => {}), ticker.listen("send", () => {})];
  assert.equal(clock.waiting(), 1);

  for (const stop of stops) stop();
  assert.equal(clock.waiting(), 0);
});

Deno.test("createTicker() calls nobody who stopped listening within the same frame", () => {
  const clock = handClock();
  const ticker = createTicker(clock);
  let calls = 0;
  const stopFirst = ticker.listen("send", () => (stopFirst(), stopSecond()));
  const stopSecond = ticker.listen("send", () => calls++);

  clock.advance(100);

  assert.equal(calls, 0);
  assert.equal(clock.waiting(), 0);
});

Deno.test("createTicker() goes on with one timer when the only listener changes in a frame", () => {
  const clock = handClock();
  const ticker = createTicker(clock);
  let frames = 0;
  let stop = ticker.listen("send", () => {
    stop();
    stop = ticker.listen("send", () => frames++);
  });

  clock.advance(20);
  assert.equal(clock.waiting(), 1);
  clock.advance(200);

  assert.equal(frames, 10);
  stop();
});

Deno.test("createTicker() calls all that hear before any that sends, at each frame made up for", () => {
  const clock = handClock();
  const ticker = createTicker(clock);
  const calls: string[] = [];
  const stops = [
    ticker.listen("send", () => calls.push("send")),
    ticker.listen("hear", () => calls.push("hear")),
    ticker.listen("send", () => calls.push("send")),
    ticker.listen("hear", () => calls.push("hear")),
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
  const ticker = createTicker(clock, (error) => errors.push(error));
  let frames = 0;
  const stops = [
    ticker.listen("hear", () => {
      throw new Error("broken");
    }),
    ticker.listen("hear", () => frames++),
  ];

  clock.advance(100);

  assert.equal(frames, 5);
  assert.equal(errors.length, 5);
  for (const stop of stops) stop();
});
