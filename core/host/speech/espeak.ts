import { languageAmong, type SpeechEngine, SpeechRefusal, type Utterance } from "./engine.ts";
import { readWav } from "./read_wav.ts";
import { runProgram } from "./run_program.ts";
import { speechLimits } from "./limits.ts";

/** Words a minute at speed 1: a little slower than espeak's own, for the telephone. */
const wordsPerMinute = 160;

/** The voices of Say, and espeak's variants; empty is the plain voice. */
const variants = new Map([
  ["woman", "f3"],
  ["man", ""],
  ...["croak", "f1", "f2", "f3", "f4", "f5", "klatt", "m1", "m2", "m3", "m4", "m5", "m6", "m7"]
    .concat("m8", "whisper", "whisperf").map((name) => [name, name] as const),
]);

/** An utterance in espeak's terms. Throws a SpeechRefusal. */
export function espeakTerms({ text, voice, language, speed }: Utterance, languages: string[]) {
  const variant = variants.get(voice);
  if (variant === undefined) {
    throw new SpeechRefusal(
      `Cannot speak with the voice "${voice}": espeak-ng has woman, man, ` +
        "f1 to f5, m1 to m8 and others",
    );
  }
  const known = languageAmong(languages, language);
  if (known === undefined) {
    throw new SpeechRefusal(`Cannot speak "${language}": espeak-ng does not know the language`);
  }
  return {
    voice: variant === "" ? known : `${known}+${variant}`,
    rate: Math.round(wordsPerMinute * speed),
    // Double brackets would begin phonemes.
    text: text.replaceAll("[[", "[ ["),
  };
}

/** The program espeak-ng, where it is installed. */
export async function espeakProgram(): Promise<SpeechEngine> {
  const languages = await listLanguages();
  return {
    name: "espeak-ng",
    async speak(utterance, signal) {
      const { voice, rate, text } = espeakTerms(utterance, languages);
      return readWav(
        await runProgram("espeak-ng", {
          args: ["-v", voice, "-s", String(rate), "--stdin", "--stdout"],
          input: new TextEncoder().encode(text),
          maxBytes: speechLimits.soundBytes,
          signal,
        }),
      );
    },
  };
}

/** The second column of each line after the first; a column further right has more, with ranks. */
async function listLanguages(): Promise<string[]> {
  const signal = AbortSignal.timeout(speechLimits.speakMs);
  const input = new Uint8Array();
  const options = { args: ["--voices"], input, maxBytes: 1 << 20, signal };
  const table = new TextDecoder().decode(await runProgram("espeak-ng", options));
  return table.split("\n").slice(1).flatMap((line) => {
    const [, , language] = line.split(/\s+/);
    const others = [...line.matchAll(/\(([a-z-]+) \d+\)/g)].map(([, name]) => name!);
    return language === undefined ? [] : [language, ...others];
  });
}
