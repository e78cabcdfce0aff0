import assert from "node:assert/strict";
import { fliteProgram } from "../../../../core/machine/adapters/speech/flite.ts";
import { decodedSamples, encodeG711, type Law } from "../../../../sip/media/codecs/g711.ts";
import type { Pcm } from "../../../../sip/media/base/port.ts";
import { createToneDetector } from "../../../../sip/media/audio/tone_digits.ts";
import { type KeyOptions, keypad } from "../../../support/media/keypad.ts";
import { asTelephone, programTest } from "../../../support/media/speech_lab.ts";
import {
  inTurn,
  mixed,
  noise,
  numbers,
  silence,
  speech,
} from "../../../support/media/synthetic_speech.ts";

const keys = "123A456B789C*0#D";

/** The digits in a sound, which comes in packets of 20 ms. */
function digitsIn(pcm: Pcm, law: Law = "PCMU"): string {
  let digits = "";
  const detector = createToneDetector((digit) => digits += digit);
  for (let at = 0; at < pcm.length; at += 160) {
    detector.take(encodeG711(law, pcm.slice(at, at + 160)), decodedSamples(law));
  }
  return digits;
}

/** What is heard of all keys, beginning at each of some moments of a packet. */
const heard = (options: KeyOptions, change = (pcm: Pcm) => pcm): string[] =>
  [0, 23, 47, 71, 94, 118, 142].map((samples) =>
    digitsIn(change(inTurn(silence(0.05 + samples / 8_000), keypad(keys, options), silence(0.1))))
  );

const alike = (options: KeyOptions, wanted: string, change?: (pcm: Pcm) => Pcm) =>
  assert.deepEqual(new Set(heard(options, change)), new Set([wanted]), JSON.stringify(options));

Deno.test("createToneDetector() hears each key once, in either law, however long it is pressed", () => {
  for (const ms of [40, 50, 100, 400]) alike({ ms, pauseMs: 40 }, keys);
  assert.equal(digitsIn(keypad(keys), "PCMA"), keys);
  assert.equal(digitsIn(keypad("5", { ms: 10_000 })), "5");
});

Deno.test("createToneDetector() tells the same key pressed twice by a pause of 40 ms, not of 10", () => {
  for (const ms of [40, 60, 100]) {
    const twice = (pauseMs: number) =>
      digitsIn(inTurn(silence(0.1), keypad("77", { ms, pauseMs }), silence(0.1)));
    assert.deepEqual([twice(10), twice(40)], ["7", "77"], `${ms} ms`);
  }
});

Deno.test("createToneDetector() hears no tones that are too short for a key", () => {
  alike({ ms: 15 }, "");
});

Deno.test("createToneDetector() hears tones that are up to 1.5 % off, and none that are 3.5 % off", () => {
  for (const part of [1, -1]) {
    for (const other of [1, -1]) {
      alike({ ms: 50, off: [0.015 * part, 0.015 * other] }, keys);
      alike({ off: [0.035 * part, 0.035 * other] }, "");
    }
  }
});

Deno.test("createToneDetector() hears tones 8 dB apart one way and 6 the other, not 12 and 9", () => {
  for (const twistDb of [-8, -4, 4, 6]) alike({ ms: 50, twistDb }, keys);
  for (const twistDb of [-12, 9]) alike({ ms: 50, twistDb }, "");
});

Deno.test("createToneDetector() hears tones from loud to -27 dBm0, and none below -36", () => {
  for (const amplitude of [16_000, 8_000, 3_000, 1_000]) alike({ ms: 50, amplitude }, keys);
  alike({ amplitude: 350 }, "");
});

Deno.test("createToneDetector() hears tones in noise 10 dB below them", () => {
  const level = 20 * Math.log10(3_000 / 32_768) - 10;
  for (const seed of [1, 2, 3]) {
    alike({ ms: 50 }, keys, (pcm) => mixed(pcm, noise(pcm.length / 8_000, level, numbers(seed))));
  }
});

Deno.test("createToneDetector() hears keys that are pressed over speech 15 dB below them", () => {
  const level = 20 * Math.log10(6_000 / 32_768) - 15;
  const talk = (pcm: Pcm) => mixed(pcm, speech(pcm.length / 8_000, level));
  alike({ ms: 100, pauseMs: 100, amplitude: 6_000 }, keys, talk);
});

Deno.test("createToneDetector() hears no keys in noise and in what is voiced like speech", () => {
  for (const level of [-10, -20, -30]) {
    assert.equal(digitsIn(noise(60, level)), "");
    assert.equal(digitsIn(speech(120, level, numbers(-level))), "");
  }
});

const text = `The quick brown fox jumps over the lazy dog, and five boxing wizards jump quickly.
  Please listen carefully, as our options have changed. You have reached the billing department of
  the Northern Railway Company. We are open from Monday to Friday between eight in the morning and
  six in the evening. For a list of trains, delays and prices, ask the man who feeds the seals.
  Why were you away all year, Roy? She sells sea shells by the sea shore. Oh no, do not go so slowly
  home alone. He who knows the noises of machines may hum along in a minor key for hours.`;

programTest("flite", "createToneDetector() hears no keys in minutes of spoken text", async () => {
  const directory = await Deno.makeTempDir();
  const { signal } = new AbortController();
  try {
    let seconds = 0;
    for (const voice of ["rms", "slt", "awb", "kal16"]) {
      for (const speed of [0.8, 1.2]) {
        const utterance = { text, voice, language: "en-US", speed };
        const { pcm } = asTelephone(await fliteProgram(directory).speak(utterance, signal));
        seconds += pcm.length / 8_000;
        assert.equal(digitsIn(new Int16Array(pcm)), "", voice);
      }
    }
    assert.ok(seconds > 180, `${seconds} s`);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
