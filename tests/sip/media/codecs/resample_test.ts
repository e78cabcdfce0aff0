import assert from "node:assert/strict";
import { resample } from "../../../../sip/media/codecs/resample.ts";
import { amplitudeOf, tone } from "../../../support/media/tone.ts";

/** A tone in floats of full scale 1. */
const signal = (hz: number, rate: number) =>
  Float32Array.from(tone(hz, 0.5, rate), (sample) => sample / 0x8000);

/** The middle of the result: its ends fade, as there is nothing beyond them. */
const middle = (pcm: Int16Array) => pcm.subarray(800, 3_200);

for (const rate of [8_000, 11_025, 16_000, 22_050, 44_100, 48_000]) {
  Deno.test(`resample() keeps tones of ${rate} Hz audio`, async () => {
    for (const hz of [300, 1_000, 3_000]) {
      const pcm = await resample(signal(hz, rate), rate, 8_000);

      assert.equal(pcm.length, 4_000);
      const amplitude = amplitudeOf(hz, middle(pcm));
      assert.ok(Math.abs(amplitude - 8_000) < 160, `${hz} Hz has amplitude ${amplitude}`);
    }
  });
}

Deno.test("resample() takes out what 8 kHz cannot carry", async () => {
  const pcm = await resample(signal(5_000, 16_000), 16_000, 8_000);
  assert.ok(amplitudeOf(3_000, middle(pcm)) < 40, "5 kHz folds back to 3 kHz");
});

Deno.test("resample() lets other work run during a long prompt", async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  await resample(new Float32Array(10 * 44_100), 44_100, 8_000);
  clearInterval(timer);
  assert.ok(turns > 3, `${turns} turns in 10 s of audio`);
});
