import assert from "node:assert/strict";
import type { Pcm } from "../../../../sip/media/base/port.ts";
import { recordBeep } from "../../../../sip/media/audio/record_beep.ts";
import { type FrameSource, recordSources } from "../../../../sip/media/engine/record_sources.ts";
import { trimSilence } from "../../../../sip/media/audio/trim_silence.ts";
import { amplitudeOf } from "../../../support/media/tone.ts";

/** A frame all of whose samples are the same. */
const frame = (value: number): Pcm => new Int16Array(160).fill(value);

/** A source that a test moves by hand. */
function handSource() {
  let onFrame: ((frame: Pcm) => void) | undefined;
  const listen: FrameSource = (listener) => {
    onFrame = listener;
    return () => onFrame = undefined;
  };
  return { listen, say: (value: number) => onFrame?.(frame(value)), isHeard: () => !!onFrame };
}

/** What was written, each frame as the values of its channels at the first sample. */
function written(channels: number) {
  const all: number[][] = [];
  return { all, write: (samples: Pcm) => all.push([...samples.slice(0, channels)]) };
}

Deno.test("recordSources() writes the frames of one source as they are", () => {
  const source = handSource();
  const all: Pcm[] = [];
  const stop = recordSources([source.listen], (samples) => all.push(samples));
  source.say(1);
  source.say(2);
  stop();

  assert.deepEqual(all, [frame(1), frame(2)]);
  assert.equal(source.isHeard(), false);
});

Deno.test("recordSources() has each of two sources on a channel, whichever speaks first", () => {
  const [one, other] = [handSource(), handSource()];
  const { all, write } = written(2);
  recordSources([one.listen, other.listen], write);
  one.say(1);
  other.say(10);
  other.say(20);
  one.say(2);

  assert.deepEqual(all, [[1, 10], [2, 20]]);
});

Deno.test("recordSources() takes a source that is late for silent, and loses nothing at the end", () => {
  const [one, other] = [handSource(), handSource()];
  const { all, write } = written(2);
  const stop = recordSources([one.listen, other.listen], write);
  for (let value = 1; value <= 8; value++) one.say(value);
  assert.deepEqual(all, [[1, 0], [2, 0], [3, 0]]);
  other.say(40);
  stop();

  assert.deepEqual(all.slice(3), [[4, 40], [5, 0], [6, 0], [7, 0], [8, 0]]);
});

/** What is left of frames of silence (0) and voice (1), in which place they stood. */
function trimmed(frames: number[]): number[] {
  const kept: number[] = [];
  const sink = trimSilence(({ 0: place }) => kept.push(place!));
  const memory = frame(0); // Each frame is there only for as long as it is handed on.
  frames.forEach((voice, place) => sink.push(memory.fill(place), voice === 1));
  sink.end();
  return kept;
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);
const many = (count: number, value: number) => Array<number>(count).fill(value);

Deno.test("trimSilence() leaves 0.2 s of silence before the first voice and after the last", () => {
  const said = [...many(30, 0), ...many(5, 1), ...many(40, 0), 1, ...many(50, 0)];
  assert.deepEqual(trimmed(said), range(20, 85));
});

Deno.test("trimSilence() keeps what is shorter than that, and nothing where nobody speaks", () => {
  assert.deepEqual(trimmed([0, 0, 1, 0]), [0, 1, 2, 3]);
  assert.deepEqual(trimmed(many(500, 0)), []);
});

Deno.test("the beep before a recording is 1000 Hz for 0.3 s", () => {
  assert.equal(recordBeep.length, 2_400);
  assert.ok(amplitudeOf(1_000, recordBeep.subarray(400, 2_000)) > 7_900);
  assert.equal(recordBeep[0], 0);
});
