import assert from "node:assert/strict";
import { mediaLimits } from "../../../../sip/media/base/limits.ts";
import { createTicker } from "../../../../sip/media/base/ticker.ts";
import { handClock } from "../../../support/process/hand_clock.ts";

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

Deno.test("legs are spread evenly over each 20 ms, also after many came and went", () => {
  const clock = handClock();
  const ticker = createTicker(clock);
  const calls: number[] = [];
  const open = () => ticker.turn().listen("send", () => calls.push(clock.now()));
  let stops = Array.from({ length: 40 }, open);
  // Of two moments all go, of the others some.
  stops = stops.filter((stop, i) => i % 4 > 1 && i < 30 || stop());
  clock.advance(33);
  stops = [...stops, ...Array.from({ length: 40 - stops.length }, open)];

  clock.advance(20);
  calls.length = 0;
  clock.advance(20);

  const moments = Map.groupBy(calls, (at) => at);
  assert.deepEqual([...moments.values()].map(({ length }) => length), [10, 10, 10, 10]);
  const times = [...moments.keys()];
  assert.deepEqual(times.slice(1).map((at, i) => at - times[i]!), [5, 5, 5]);
  stops.forEach((stop) => stop());
  assert.equal(clock.waiting(), 0);
});

Deno.test("every turn keeps its own 20 ms without drift while timers fire late", () => {
  const clock = handClock();
  const ticker = createTicker(clock);
  const calls = Array.from({ length: 6 }, (): number[] => []);
  const stops = calls.map((own) => ticker.turn().listen("hear", () => own.push(clock.now())));
  const started = clock.now();

  for (const late of [1, 7, 3, 12, 0]) clock.advance(2_000, late);
  clock.advance(100);

  for (const own of calls) {
    assert.equal(own.length, 505);
    const due = own.map((_, i) => started + own.at(-1)! - (own.length - 1 - i) * 20);
    own.forEach((at, i) => assert.ok(at >= due[i]! && at - due[i]! <= 20, `frame ${i} at ${at}`));
  }
  stops.forEach((stop) => stop());
});

Deno.test("who comes to a moment that nobody was at waits for it, and makes up for nothing", () => {
  const clock = handClock();
  const ticker = createTicker(clock);
  const stops = [ticker.turn().listen("send", () => {})];
  clock.advance(1_013);
  const calls: number[] = [];
  stops.push(ticker.turn().listen("send", () => calls.push(clock.now())));

  clock.advance(60);

  assert.deepEqual(calls, [1_025, 1_045, 1_065]);
  stops.forEach((stop) => stop());
});

Deno.test("moveTo() brings a turn to another moment: heard with those there, no frame left out", () => {
  const clock = handClock();
  const ticker = createTicker(clock);
  const [one, other] = [ticker.turn(), ticker.turn()];
  const calls: [string, number][] = [];
  const note = (name: string) => () => calls.push([name, clock.now()]);
  const stops = [
    one.listen("send", note("one sends")),
    other.listen("send", note("other sends")),
    other.listen("hear", note("other hears")),
  ];
  assert.notEqual(one.moment, other.moment);
  clock.advance(27);
  calls.length = 0;

  other.moveTo(one.moment!);
  clock.advance(20);

  assert.equal(other.moment, one.moment);
  assert.deepEqual(calls, [["other hears", 40], ["one sends", 40], ["other sends", 40]]);
  assert.equal(clock.waiting(), 1);
  stops.forEach((stop) => stop());
  assert.equal(clock.waiting(), 0);
  assert.equal(other.moment, undefined);
});

Deno.test("a turn that moves from tick to tick has a frame in every 20 ms or next to it", () => {
  const clock = handClock();
  const ticker = createTicker(clock);
  const turn = ticker.turn();
  const calls: number[] = [];
  const stop = turn.listen("send", () => {
    calls.push(clock.now());
    turn.moveTo((turn.moment! + 3) % 4);
  });

  clock.advance(1_000);

  // Each moment is the one before the last in the next 20 ms: 15 ms later.
  assert.deepEqual(calls, Array.from({ length: calls.length }, (_, i) => 20 + 15 * i));
  assert.equal(calls.length, 66);
  stop();
  assert.equal(clock.waiting(), 0);
});
