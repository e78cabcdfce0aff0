import assert from "node:assert/strict";
import type { Pcm } from "../../../../sip/media/base/port.ts";
import { createVoiceDetector, levelOf } from "../../../../sip/media/audio/voice.ts";
import {
  framesOf,
  inTurn,
  mixed,
  noise,
  silence,
  speech,
} from "../../../support/media/synthetic_speech.ts";
import { tone } from "../../../support/media/tone.ts";

/** What the detector says of each frame. */
function decisions(...parts: Pcm[]): boolean[] {
  const isSpeech = createVoiceDetector();
  return framesOf(inTurn(...parts)).map((frame) => isSpeech(frame));
}

/** The part of the frames from one second to before another that are speech. */
const share = (said: boolean[], from: number, to: number) => {
  const span = said.slice(from * 50, to * 50);
  return span.filter(Boolean).length / span.length;
};

Deno.test("levelOf() is the level in dBFS, whatever the offset", () => {
  const sine = tone(1_000, 0.02, 8_000, 32_767);
  assert.ok(Math.abs(levelOf(sine) + 3.01) < 0.05);
  assert.ok(Math.abs(levelOf(tone(1_000, 0.02).map((sample) => sample + 9_000)) + 15.26) < 0.05);
  assert.equal(levelOf(silence(0.02)), -100);
});

Deno.test("createVoiceDetector() hears speech in silence, and where it ends", () => {
  const said = decisions(silence(2), speech(3), silence(3));
  assert.equal(share(said, 0, 2), 0);
  assert.ok(share(said, 2, 5) > 0.95, `${share(said, 2, 5)}`);
  assert.equal(share(said, 5.3, 8), 0);
});

for (const dbfs of [-70, -55, -48]) {
  Deno.test(`createVoiceDetector() hears speech in noise of ${dbfs} dBFS, and not the noise`, () => {
    const said = decisions(mixed(inTurn(silence(4), speech(3), silence(4)), noise(11, dbfs)));
    assert.equal(share(said, 0.5, 4), 0);
    assert.ok(share(said, 4, 7) > 0.9, `${share(said, 4, 7)}`);
    assert.equal(share(said, 7.3, 11), 0);
  });
}

Deno.test("createVoiceDetector() hears quiet speech, and speech from the first frame on", () => {
  assert.ok(share(decisions(silence(1), speech(3, -38), silence(1)), 1, 4) > 0.8);
  assert.ok(share(decisions(speech(4)), 0, 4) > 0.95);
});

Deno.test("createVoiceDetector() gets used to noise that begins, unless it is loud", () => {
  const said = decisions(silence(2), noise(6, -46), silence(2));
  assert.equal(share(said, 5, 8), 0);
  assert.equal(share(decisions(silence(2), tone(440, 6)), 2.1, 8), 1);
});

Deno.test("createVoiceDetector() takes no click for speech", () => {
  const click = tone(1_000, 0.02);
  const said = decisions(silence(1), click, silence(1), click, silence(1));
  assert.equal(share(said, 0, 3), 0);
});
