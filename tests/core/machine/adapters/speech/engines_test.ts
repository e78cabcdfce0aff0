import assert from "node:assert/strict";
import {
  type Sound,
  type SpeechEngine,
  SpeechRefusal,
} from "../../../../../core/machine/adapters/speech/engine.ts";
import { espeakProgram } from "../../../../../core/machine/adapters/speech/espeak.ts";
import { espeakNpm } from "../../../../../core/machine/adapters/speech/espeak_npm.ts";
import { fliteProgram } from "../../../../../core/machine/adapters/speech/flite.ts";
import { runProgram } from "../../../../../core/machine/adapters/speech/run_program.ts";
import { pocketsphinx } from "../../../../../core/machine/adapters/speech/pocketsphinx.ts";
import { asTelephone, programTest, voiceIn } from "../../../../support/media/speech_lab.ts";

const never = new AbortController().signal;
const short = "Hello, and welcome.";
const long = `${short} To speak with somebody press one. To leave a message press two.`;
const said = (text: string, own: Record<string, unknown> = {}) => ({
  text,
  voice: "woman",
  language: "en-US",
  speed: 1,
  ...own,
});

/** What every engine must do: speech that is voiced, and longer for a longer text. */
async function assertSpeaks(engine: SpeechEngine): Promise<void> {
  const one = voiceIn(await engine.speak(said(short), never));
  const more = voiceIn(await engine.speak(said(long), never));

  assert.ok(one.seconds > 0.8 && one.seconds < 4, `${one.seconds} s`);
  assert.ok(one.voicedS > 0.5, `${one.voicedS} s are voiced`);
  assert.ok(more.seconds > one.seconds * 2 && more.voicedS > one.voicedS * 2);
  const slow = voiceIn(await engine.speak(said(short, { speed: 0.5 }), never));
  assert.ok(slow.seconds > one.seconds * 1.4, `${slow.seconds} s at half the speed`);
  const woman = await engine.speak(said(short), never);
  const man = await engine.speak(said(short, { voice: "man" }), never);
  assert.ok(man.pcm.some((sample, i) => sample !== woman.pcm[i]));
  await assert.rejects(engine.speak(said(short, { voice: "../nobody" }), never), SpeechRefusal);
  await assert.rejects(engine.speak(said(short, { language: "tlh" }), never), SpeechRefusal);
}

/** Those of espeak speak many languages, also as a code of two letters and of another region. */
async function assertLanguages(engine: SpeechEngine): Promise<void> {
  const german = "Guten Tag, hier ist die Vermittlung.";
  const [as, ...others] = await Promise.all(
    ["de", "de-DE", "de_AT", "en-GB", "en"].map((language) =>
      engine.speak(said(german, { language }), never)
    ),
  );
  const isAsLong = (other: Sound) => Math.abs(other.pcm.length - as!.pcm.length) < 100;
  assert.ok(voiceIn(as!).voicedS > 1);
  assert.deepEqual(others.map(isAsLong), [true, true, false, false]);
  assert.ok(others.every((other) => voiceIn(other).voicedS > 1));
}

programTest("espeak-ng", "espeakProgram() speaks, faster or slower, by its voices", async () => {
  const engine = await espeakProgram();
  await assertSpeaks(engine);
  await assertLanguages(engine);
});

programTest("flite", "fliteProgram() speaks English, and leaves no file behind", async () => {
  const directory = await Deno.makeTempDir();
  try {
    await assertSpeaks(fliteProgram(directory));
    assert.deepEqual([...Deno.readDirSync(directory)], []);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("espeakNpm() speaks where no program is installed", async () => {
  const engine = espeakNpm();
  await assertSpeaks(engine);
  await assertLanguages(engine);
});

programTest("espeak-ng", "espeakProgram() is killed when nobody waits any more", async () => {
  const engine = await espeakProgram();
  const stop = new AbortController();
  const attempt = engine.speak(said("word ".repeat(800)), stop.signal);
  stop.abort(new Error("gone"));
  await assert.rejects(attempt, /gone/);
});

/** Says a text by flite and hears it again, as the telephone has it. */
async function heardAgain(
  text: string,
  hints: string[],
  kind: "utterance" | "recording" = "utterance",
) {
  const directory = await Deno.makeTempDir();
  try {
    const spoken = await fliteProgram(directory).speak(said(text, { voice: "rms" }), never);
    const options = { language: "en-US", hints, kind } as const;
    return await pocketsphinx(directory).recognise(asTelephone(spoken), options, never);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

programTest("pocketsphinx_continuous", "pocketsphinx() hears which hint was said", async () => {
  const hints = ["Sales", "Billing department", "operator", "4 7 2 9", "xyzzyplugh"];
  const heard = await heardAgain("billing department", hints);
  assert.deepEqual(heard, { text: "Billing department", confidence: 0.6 });
  assert.equal((await heardAgain("four seven two nine", hints)).text, "4 7 2 9");
});

programTest(
  "pocketsphinx_continuous",
  "pocketsphinx() takes dictation, and is not sure of it",
  async () => {
    const { text, confidence } = await heardAgain(
      "the train to the city leaves in the morning",
      [],
      "recording",
    );
    const right = "the train to the city leaves in the morning".split(" ")
      .filter((word) => text.split(" ").includes(word));
    assert.ok(right.length >= 6, text);
    assert.ok(confidence > 0 && confidence <= 0.4, String(confidence));
  },
);

programTest("pocketsphinx_continuous", "pocketsphinx() hears nothing in silence", async () => {
  const sound = { pcm: new Int16Array(16_000), sampleRate: 8_000 };
  const engine = pocketsphinx(".");
  const heard = (language: string) =>
    engine.recognise(sound, { language, hints: [], kind: "utterance" }, never);
  assert.equal((await heard("en")).text, "");
  const german = heard("de-DE");
  await assert.rejects(german, SpeechRefusal);
});

Deno.test({
  name: "runProgram() has a program stand back by a niceness",
  ignore: Deno.build.os !== "linux",
  async fn() {
    // It reads first, which it can only do once it has its niceness: field 19 of proc_pid_stat(5).
    const args = ["-c", "read line; cut -d ' ' -f 19 /proc/$$/stat"];
    const nicenessOf = async (niceness: number) => {
      const input = new TextEncoder().encode("go\n");
      const output = await runProgram("sh", {
        args,
        input,
        niceness,
        maxBytes: 100,
        signal: never,
      });
      return Number(new TextDecoder().decode(output));
    };
    const usual = await nicenessOf(0);
    assert.equal(await nicenessOf(usual + 3), usual + 3);
  },
});
