import assert from "node:assert/strict";
import { limits } from "../../../../core/base/limits.ts";
import {
  createMachineDetector,
  type MachineDetectorOptions,
} from "../../../../sip/media/audio/answering_machine.ts";
import type { Pcm } from "../../../../sip/media/base/port.ts";
import {
  framesOf,
  inTurn,
  mixed,
  noise,
  silence,
  speech,
} from "../../../support/media/synthetic_speech.ts";
import { tone } from "../../../support/media/tone.ts";

const usual: MachineDetectorOptions = {
  timeoutMs: 30_000,
  untilEnd: false,
  speechThresholdMs: limits.machineSpeechMs[1],
  speechEndMs: limits.machineSpeechEndMs[1],
  silenceMs: limits.machineSilenceMs[1],
};

/** Who it is, and after how many seconds that is known. */
function detect(sound: Pcm, options: Partial<MachineDetectorOptions> = {}) {
  const next = createMachineDetector({ ...usual, ...options });
  for (const [i, frame] of framesOf(sound).entries()) {
    const found = next(frame);
    if (found === undefined) continue;
    const { answeredBy: answerer, ...end } = found;
    return { answerer, ...end, seconds: (i + 1) / 50 };
  }
  return undefined;
}

const inNoise = (sound: Pcm) => mixed(sound, noise(sound.length / 8_000, -55));

for (const seconds of [0.3, 0.6, 1.2, 1.8]) {
  Deno.test(`createMachineDetector() takes a greeting of ${seconds} s for a person's`, () => {
    for (const lead of [0, 0.4, 3]) {
      const sound = inNoise(inTurn(silence(lead), speech(seconds), silence(3)));
      const found = detect(sound);
      assert.equal(found?.answerer, "human", `after ${lead} s`);
      assert.ok(found.seconds < lead + seconds + 1.6, `known after ${found.seconds} s`);
    }
  });
}

Deno.test("createMachineDetector() takes two short words for a person's", () => {
  const sound = inNoise(inTurn(silence(0.5), speech(0.4), silence(0.8), speech(0.5), silence(3)));
  assert.equal(detect(sound)?.answerer, "human");
});

for (const seconds of [3.5, 8, 20]) {
  Deno.test(`createMachineDetector() takes a greeting of ${seconds} s for a machine's`, () => {
    const greeting = inTurn(speech(seconds * 0.4), silence(0.5), speech(seconds * 0.6));
    const sound = inNoise(inTurn(silence(0.5), greeting, tone(1_000, 0.5), silence(4)));
    const found = detect(sound);
    assert.equal(found?.answerer, "machine");
    assert.ok(found.seconds < 4.5, `known after ${found.seconds} s`);
    const end = detect(sound, { untilEnd: true });
    assert.ok(end !== undefined);
    assert.deepEqual([end.answerer, end.greetingEnd], ["machine", "beep"]);
    assert.equal(found.greetingEnd, undefined);
    assert.ok(Math.abs(end.seconds - (1 + seconds + 0.2)) < 0.1, `the end is at ${end.seconds} s`);
  });
}

Deno.test("createMachineDetector() knows the end of a greeting without a beep", () => {
  const sound = inNoise(inTurn(silence(0.5), speech(5), silence(4)));
  const found = detect(sound, { untilEnd: true });
  assert.ok(found !== undefined);
  assert.deepEqual([found.answerer, found.greetingEnd], ["machine", "silence"]);
  assert.ok(Math.abs(found.seconds - 7.6) < 0.3, `${found.seconds} s`);
});

for (const hz of [400, 425, 873, 1_000, 1_400, 2_100]) {
  Deno.test(`createMachineDetector() knows a beep of ${hz} Hz after a short greeting`, () => {
    const sound = inNoise(inTurn(speech(1), silence(0.4), tone(hz, 0.4, 8_000, 4_000), silence(2)));
    const found = detect(sound);
    assert.equal(found?.answerer, "machine");
    assert.ok(found.seconds < 1.7);
  });
}

Deno.test("createMachineDetector() takes neither speech nor short or low tones for a beep", () => {
  const sounds = [speech(2), tone(1_000, 0.16), tone(200, 1), noise(1, -20)];
  for (const sound of sounds) {
    assert.equal(detect(inTurn(sound, silence(3)))?.answerer, "human");
  }
});

Deno.test("createMachineDetector() does not know who is silent, or speaks on and off too long", () => {
  assert.deepEqual(detect(silence(10)), { answerer: "unknown", seconds: 5 });
  assert.deepEqual(detect(silence(10), { timeoutMs: 3_000 }), { answerer: "unknown", seconds: 3 });
  assert.deepEqual(detect(inTurn(silence(1), speech(4)), { timeoutMs: 2_000 }), {
    answerer: "unknown",
    seconds: 2,
  });
  assert.deepEqual(detect(speech(10), { timeoutMs: 4_000, untilEnd: true }), {
    answerer: "machine",
    greetingEnd: "other",
    seconds: 4,
  });
});

Deno.test("createMachineDetector() takes a long greeting for a person's where it is told to", () => {
  const business = inNoise(inTurn(silence(0.5), speech(4), silence(3)));
  assert.equal(detect(business)?.answerer, "machine");
  const told = detect(business, { speechThresholdMs: 4_800 });
  assert.equal(told?.answerer, "human");
  assert.ok(told.seconds < 6.1, `known after ${told.seconds} s`);
  const voicemail = inNoise(inTurn(silence(0.5), speech(8), silence(3)));
  assert.equal(detect(voicemail, { speechThresholdMs: 4_800 })?.answerer, "machine");
});

Deno.test("createMachineDetector() knows a person after the pause, and nobody after the silence, told", () => {
  const hello = inNoise(inTurn(silence(0.5), speech(0.6), silence(0.9), speech(4), silence(3)));
  assert.equal(detect(hello)?.answerer, "machine");
  assert.equal(detect(hello, { speechEndMs: 700 })?.answerer, "human");
  const late = inNoise(inTurn(silence(3), speech(0.6), silence(3)));
  assert.equal(detect(late)?.answerer, "human");
  assert.deepEqual(detect(late, { silenceMs: 2_000 }), { answerer: "unknown", seconds: 2 });
});
