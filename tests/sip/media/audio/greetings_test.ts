import assert from "node:assert/strict";
import { espeakProgram } from "../../../../core/machine/adapters/speech/espeak.ts";
import type { SpeechEngine } from "../../../../core/machine/adapters/speech/engine.ts";
import { fliteProgram } from "../../../../core/machine/adapters/speech/flite.ts";
import { limits } from "../../../../core/base/limits.ts";
import {
  type Answerer,
  createMachineDetector,
  type GreetingEnd,
} from "../../../../sip/media/audio/answering_machine.ts";
import type { Pcm } from "../../../../sip/media/base/port.ts";
import { resample } from "../../../../sip/media/codecs/resample.ts";
import { programTest } from "../../../support/media/speech_lab.ts";
import {
  framesOf,
  inTurn,
  mixed,
  noise,
  silence,
} from "../../../support/media/synthetic_speech.ts";
import { tone } from "../../../support/media/tone.ts";

/** Who is told to have answered, of greetings that people and machines have, by two synthesizers. */

const homes = [
  "Hello?",
  "Yes?",
  "Yes, hi.",
  "Hello, Miller speaking.",
  "Good morning, this is Anna Miller.",
  "Anna Miller, good afternoon.",
  "Hi, who is this?",
  "Miller residence, hello.",
];
const companies = [
  "Good morning, Miller and Sons, how may I help you?",
  "Thank you for calling Northern Electric, this is Anna, how can I help?",
  "Customer service, you are speaking with David.",
  "City Hospital, radiology, Doctor Green speaking.",
  "Riverside Hotel, good evening, reception speaking.",
  "Northern Electric, good afternoon, whom do you wish to speak to?",
  "Support desk, my name is Tom. What is your customer number?",
];
const recorded = [
  "Please leave a message after the beep.",
  "Hi, this is Tom. I cannot answer now. Leave me a message.",
  "You have reached the Millers. Please leave a message after the tone.",
  "Hello, you have reached the Miller family. We cannot come to the phone right now. " +
  "Please leave your name and number after the tone.",
  "The person you are calling is not available. At the tone, please record your message.",
  "Your call has been forwarded to an automatic voice message system.",
  "Sorry, we are away. Please call again next week. Goodbye.",
];

const THRESHOLDS = { usual: limits.machineSpeechMs[1], raised: 2 * limits.machineSpeechMs[1] };
const LEVEL = -22;
const never = new AbortController().signal;

function detect(
  sound: Pcm,
  speechThresholdMs: number,
  untilEnd = false,
): { answerer: Answerer; greetingEnd?: GreetingEnd; seconds: number } {
  const next = createMachineDetector({
    timeoutMs: limits.machineDetectionS * 1_000,
    untilEnd,
    speechThresholdMs,
    speechEndMs: limits.machineSpeechEndMs[1],
    silenceMs: limits.machineSilenceMs[1],
  });
  for (const [i, frame] of framesOf(sound).entries()) {
    const found = next(frame);
    if (found === undefined) continue;
    const { answeredBy: answerer, ...end } = found;
    return { answerer, ...end, seconds: (i + 1) / 50 };
  }
  assert.fail("It was not said who answered");
}

/** A sentence as a telephone has it: from its first sound to its last, all equally loud. */
async function said(engine: SpeechEngine, text: string, voice: string): Promise<Pcm> {
  const { pcm, sampleRate } = await engine.speak(
    { text, voice, language: "en-US", speed: 1 },
    never,
  );
  const whole = await resample(Float32Array.from(pcm, (each) => each / 32_768), sampleRate, 8_000);
  const isLoud = (sample: number) => Math.abs(sample) > 300;
  const sound = whole.slice(whole.findIndex(isLoud), whole.findLastIndex(isLoud) + 1);
  const power = sound.reduce((sum, sample) => sum + sample ** 2, 0) / sound.length;
  const gain = 32_768 * 10 ** (LEVEL / 20) / Math.sqrt(power);
  return sound.map((sample) => Math.max(-32_768, Math.min(32_767, sample * gain)));
}

/** The hum of a room: low, and never quite even. */
function roomTone(seconds: number): Pcm {
  let last = 0;
  return noise(seconds, -34).map((sample, i) => {
    last += 0.06 * (sample - last);
    return last * (1 + 0.3 * Math.sin(i / 9_000));
  });
}

const grounds: Record<string, (seconds: number) => Pcm> = {
  "on a clean line": silence,
  "over noise": (seconds) => noise(seconds, -52),
  "over the hum of a room": roomTone,
};

const over = (sound: Pcm, ground: (seconds: number) => Pcm): Pcm =>
  mixed(sound, ground(sound.length / 8_000));

const beepAfter = (seconds: number) => inTurn(silence(seconds), tone(1_000, 0.5), silence(4));

/** What is behind a greeting: of a machine the beep, soon or late, or none. */
const tails = {
  waits: silence(5),
  "beeps soon": beepAfter(0.4),
  "beeps after a second": beepAfter(1),
  "beeps late": beepAfter(2),
};

/** How many of all cases are told right, by either threshold; `wrong` names those that are not. */
interface Score {
  cases: number;
  usual: number;
  raised: number;
  wrong: string[];
}

/**
 * The greetings by all voices, over all grounds. Where it can be told of the length alone who it is, by
 * a good margin, it must be told so.
 */
async function score(
  engine: SpeechEngine,
  texts: string[],
  ends: (keyof typeof tails)[],
  right: Answerer,
): Promise<Score> {
  const result: Score = { cases: 0, usual: 0, raised: 0, wrong: [] };
  for (const text of texts) {
    for (const voice of ["woman", "man"]) {
      const greeting = await said(engine, text, voice);
      const seconds = greeting.length / 8_000;
      for (
        const [end, ground] of ends.flatMap((end) =>
          Object.entries(grounds).map((ground) => [end, ground] as const)
        )
      ) {
        const sound = over(inTurn(silence(0.6), greeting, tails[end]), ground[1]);
        const about = `${engine.name}, ${voice}, ${seconds} s "${text}" ${end} ${ground[0]}`;
        result.cases++;
        for (const [name, thresholdMs] of Object.entries(THRESHOLDS)) {
          const { answerer } = detect(sound, thresholdMs);
          const key = name as keyof typeof THRESHOLDS;
          if (answerer === right) result[key]++;
          else result.wrong.push(`${name}: ${about}`);
          const isLong = seconds > thresholdMs / 1_000 + 0.4;
          const isBeep = end === "beeps soon" || end === "beeps after a second";
          if (isLong || isBeep) assert.equal(answerer, "machine", about);
          else if (seconds < thresholdMs / 1_000 - 0.4) assert.equal(answerer, "human", about);
        }
      }
    }
  }
  return result;
}

const told = ({ cases, usual, raised, wrong }: Score) =>
  `${usual} and ${raised} of ${cases}, not ${wrong.join("; ")}`;

const engines: [program: string, open: (directory: string) => Promise<SpeechEngine>][] = [
  ["espeak-ng", () => espeakProgram()],
  ["flite", (directory) => Promise.resolve(fliteProgram(directory))],
];

for (const [program, open] of engines) {
  const greetingTest = (name: string, body: (engine: SpeechEngine) => Promise<void>) =>
    programTest(program, `${name}, by ${program}`, async () => {
      const directory = await Deno.makeTempDir();
      try {
        await body(await open(directory));
      } finally {
        await Deno.remove(directory, { recursive: true });
      }
    });

  greetingTest("people at home are told from machines, whatever the threshold", async (engine) => {
    const homely = await score(engine, homes, ["waits"], "human");
    assert.deepEqual([homely.usual, homely.raised], [homely.cases, homely.cases], told(homely));
  });

  greetingTest("people at companies are told by a raised threshold", async (engine) => {
    const busy = await score(engine, companies, ["waits"], "human");
    // Their greetings are as long as the shorter ones of machines: who calls companies raises it.
    assert.ok(busy.usual <= 0.25 * busy.cases, told(busy));
    assert.ok(busy.raised >= 0.9 * busy.cases, told(busy));
  });

  greetingTest(
    "machines are told by their length, or by the beep of short ones",
    async (engine) => {
      const beeping = await score(
        engine,
        recorded,
        ["beeps soon", "beeps after a second"],
        "machine",
      );
      assert.deepEqual(
        [beeping.usual, beeping.raised],
        [beeping.cases, beeping.cases],
        told(beeping),
      );
      const silent = await score(engine, recorded, ["beeps late", "waits"], "machine");
      assert.ok(silent.usual >= 0.8 * silent.cases, told(silent));
      assert.ok(silent.raised < silent.usual, told(silent)); // What a raised threshold costs.
    },
  );

  greetingTest(
    "the end of a long greeting is known by the beep, or by the silence behind it",
    async (engine) => {
      const ends = {
        waits: "silence",
        "beeps soon": "beep",
        "beeps after a second": "beep",
      } as const;
      const long = recorded.filter((text) => text.length > 60);
      assert.ok(long.length >= 4);
      for (const text of long) {
        for (const voice of ["woman", "man"]) {
          const greeting = await said(engine, text, voice);
          for (const [tail, end] of Object.entries(ends) as [keyof typeof ends, string][]) {
            for (const [name, ground] of Object.entries(grounds)) {
              // An uneven hum may pass for speech: such a greeting ends with the time limit.
              if (ground === roomTone && tail === "waits") continue;
              const sound = over(inTurn(silence(0.3), greeting, tails[tail]), ground);
              const about = `${voice} ${tail} ${name}: ${text}`;
              const found = detect(sound, THRESHOLDS.usual, true);
              assert.deepEqual([found.answerer, found.greetingEnd], ["machine", end], about);
            }
          }
        }
      }
    },
  );

  greetingTest(
    "who pauses, or says hello again, is a person while all is short",
    async (engine) => {
      for (const voice of ["woman", "man"]) {
        const [hello, who] = [
          await said(engine, "Hello?", voice),
          await said(engine, "Who is it?", voice),
        ];
        for (const [name, ground] of Object.entries(grounds)) {
          const [soon, late] = [0.7, 2].map((pause) => {
            const parts = inTurn(silence(1), hello, silence(pause), who, silence(4));
            return detect(over(parts, ground), THRESHOLDS.usual);
          }) as [ReturnType<typeof detect>, ReturnType<typeof detect>];
          assert.deepEqual([soon.answerer, late.answerer], ["human", "human"], `${voice} ${name}`);
          assert.ok(late.seconds < soon.seconds, "it is known in the pause");
        }
      }
    },
  );
}
