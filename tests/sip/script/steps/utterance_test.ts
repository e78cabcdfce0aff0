import assert from "node:assert/strict";
import { sipLimits } from "../../../../sip/base/limits.ts";
import { FRAME_SAMPLES, type Pcm } from "../../../../sip/media/base/port.ts";
import { createVoiceDetector } from "../../../../sip/media/audio/voice.ts";
import { createUtterances } from "../../../../sip/script/steps/utterance.ts";
import {
  framesOf,
  inTurn,
  noise,
  silence,
  speech,
} from "../../../support/media/synthetic_speech.ts";
import { tone } from "../../../support/media/tone.ts";

/** What was cut out of some sound: when each utterance began and ended, and how long it is, in s. */
function cut(...parts: Pcm[]) {
  const found: { began: number; ended?: number; seconds?: number }[] = [];
  const sound = inTurn(...parts);
  const memory: Pcm = new Int16Array(FRAME_SAMPLES); // A frame is there only while it is taken.
  let [at, resumed] = [0, 0];
  const utterances = createUtterances(createVoiceDetector(), {
    onStart: () => found.push({ began: at / 50 }),
    onResume: () => void resumed++,
    onEnd(pcm) {
      const end = at * FRAME_SAMPLES;
      assert.deepEqual(pcm, sound.slice(end - pcm.length, end));
      Object.assign(found.at(-1)!, { ended: at / 50, seconds: pcm.length / 8_000 });
    },
  });
  for (const frame of framesOf(sound)) {
    at++;
    memory.set(frame);
    utterances.take(memory);
  }
  return { found, utterances, resumed };
}

const near = (value: number | undefined, wanted: number, by: number) =>
  assert.ok(Math.abs((value ?? NaN) - wanted) <= by, `${value} is not ${wanted}`);

Deno.test("createUtterances() cuts speech out of silence, its beginning and end with it", () => {
  const { found } = cut(silence(2), speech(1.5), silence(3));

  assert.equal(found.length, 1);
  near(found[0]?.began, 2.3, 0.1);
  near(found[0]?.ended, 3.5 + sipLimits.utterancePauseMs / 1_000 + 0.16, 0.1);
  near(found[0]?.seconds, 1.5 + 0.2 + 1.16, 0.15);
});

Deno.test("createUtterances() takes a short pause for a part of it, a long one for the end", () => {
  const gap = (seconds: number) =>
    cut(silence(1), speech(1), silence(seconds), speech(1), silence(2));

  assert.equal(gap(0.6).found.length, 1);
  assert.equal(gap(1.5).found.length, 2);
});

Deno.test("createUtterances() tells when an utterance goes on after a rest, and not without one", () => {
  const rests = (...seconds: number[]) =>
    cut(silence(1), speech(1), ...seconds.flatMap((one) => [silence(one), speech(1)]), silence(2))
      .resumed;

  assert.deepEqual([rests(), rests(0.1), rests(0.6), rests(0.6, 0.6)], [0, 0, 1, 2]);
});

Deno.test("createUtterances() hears a short word, and no click, tap or noise", () => {
  assert.equal(cut(silence(1), speech(0.25), silence(2)).found.length, 1);
  const click = tone(1_000, 0.04);
  const quiet = cut(silence(1), click, silence(0.5), click, silence(1), noise(3, -70), silence(1));
  assert.deepEqual(quiet.found, []);
});

Deno.test("createUtterances() ends an utterance that does not end", () => {
  const { found } = cut(silence(1), tone(300, sipLimits.utteranceMs / 1_000 + 1));
  assert.equal(found[0]?.seconds, sipLimits.utteranceMs / 1_000);
});

Deno.test("createUtterances() tells how much was said so far, and nothing between two", () => {
  const { utterances } = cut(silence(1), speech(2));
  near(utterances.samples / 8_000, 2.2, 0.15);
  assert.equal(utterances.soFar().length, utterances.samples);
  assert.equal(cut(silence(1), speech(2), silence(2)).utterances.samples, 0);
});
