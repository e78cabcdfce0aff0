import assert from "node:assert/strict";
import { createTaps } from "../../../../sip/media/worker/frame_taps.ts";
import { createListeners } from "../../../../sip/media/base/listeners.ts";
import { FRAME_SAMPLES, type Pcm } from "../../../../sip/media/base/port.ts";

const frame = (value: number): Pcm => new Int16Array(FRAME_SAMPLES).fill(value);

/** Taps on two legs, and what was handed on: tap and the first sample of each frame. */
function lab() {
  const [one, other] = [createListeners<Pcm>(), createListeners<Pcm>()];
  const heard: [tap: number, value: number][][] = [];
  const memory: Pcm[] = [];
  const taps = createTaps((counts, samples) => {
    memory.push(samples);
    let at = 0;
    const next = () => samples[at++ * FRAME_SAMPLES]!;
    heard.push(
      counts.flatMap(({ tap, frames }) =>
        Array.from({ length: frames }, () => [tap, next()] as [number, number])
      ),
    );
    assert.ok(samples.length >= at * FRAME_SAMPLES);
  });
  taps.add(1, { listen: one.add });
  taps.add(2, { listen: other.add });
  return { one, other, heard, memory, taps };
}

Deno.test("createTaps() hands on the frames of each tap in order, five ticks at once", () => {
  const { one, other, heard, taps } = lab();
  for (let tick = 1; tick <= 10; tick++) {
    other.call(frame(-tick));
    one.call(frame(tick));
  }

  assert.deepEqual(heard.map((each) => each.length), [1, 2, 5, 5]);
  taps.flush();
  const ofOne = heard.flat().filter(([tap]) => tap === 1).map(([, value]) => value);
  const ofOther = heard.flat().filter(([tap]) => tap === 2).map(([, value]) => value);
  assert.deepEqual(ofOne, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  assert.deepEqual(ofOther, [-1, -2, -3, -4, -5, -6, -7, -8, -9, -10]);
});

Deno.test("createTaps() hands on a fifth of many taps at each tick, whenever they came and went", () => {
  const { heard, taps } = lab();
  const many = createListeners<Pcm>();
  taps.remove(1);
  taps.remove(2);
  for (let tap = 10; tap < 130; tap++) taps.add(tap, { listen: many.add });
  for (let tap = 10; tap < 30; tap++) taps.remove(tap);
  for (let tick = 1; tick <= 20; tick++) {
    many.call(frame(tick));
    const ofTick = heard.splice(0);
    // The first ones had a part of it, as all began at once.
    const frames = tick === 1 ? [] : [20 * Math.min(tick - 1, 5)];
    assert.deepEqual(ofTick.map((each) => each.length), frames, `tick ${tick}`);
  }
});

Deno.test("flush() hands on what there is, once, and nothing of a tap that was removed", () => {
  const { one, other, heard, taps } = lab();
  one.call(frame(1));
  other.call(frame(2));
  taps.remove(2);
  other.call(frame(3));
  taps.flush();
  taps.flush();

  assert.deepEqual(heard, [[[1, 1]]]);
  assert.equal(other.size, 0);
});

Deno.test("reuse() has what comes back handed on again, where it is long enough", () => {
  const { one, other, heard, memory, taps } = lab();
  const say = (value: number, legs: (typeof one)[]) => {
    for (const leg of legs) leg.call(frame(value));
    taps.flush();
    return memory.splice(0);
  };
  const [first, second] = [say(1, [one]), say(2, [other])].flat() as [Pcm, Pcm];
  assert.notEqual(first, second);
  taps.reuse(first);
  assert.deepEqual(say(3, [one]), [first]);
  const [third] = say(4, [one]);
  assert.notEqual(third, first);

  taps.reuse(first);
  for (const value of [5, 6]) one.call(frame(value));
  const [longer] = say(7, [one]);
  assert.equal(longer!.length, 3 * FRAME_SAMPLES);
  taps.reuse(longer!);
  assert.deepEqual(say(8, [other]), [longer]);
  assert.deepEqual(heard.flat().map(([, value]) => value), [1, 2, 3, 4, 5, 6, 7, 8]);
});
