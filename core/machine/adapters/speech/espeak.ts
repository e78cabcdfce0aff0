import { type SpeechEngine, SpeechRefusal, type Utterance } from "./engine.ts";
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

/** A language as espeak lists it: the file of its voice, and the lower the rank the better it fits. */
export interface EspeakLanguage {
  language: string;
  file: string;
  rank: number;
}

/** Languages that espeak knows by another code than the usual one, or that it has several of. */
const otherNames: Record<string, string> = { en: "en-us", no: "nb", iw: "he", in: "id" };

/** The voice file of the language that a tag means: itself, or the language without its region. */
function fileOf(tag: string, languages: readonly EspeakLanguage[]): string | undefined {
  const wanted = tag.toLowerCase().replaceAll("_", "-");
  const [base = ""] = wanted.split("-");
  for (const name of [otherNames[wanted] ?? wanted, otherNames[base] ?? base]) {
    const [best] = languages.filter(({ language }) => language === name)
      .toSorted((a, b) => a.rank - b.rank);
    if (best !== undefined) return best.file;
  }
  return undefined;
}

/** An utterance in espeak's terms. Throws a SpeechRefusal. */
export function espeakTerms(
  { text, voice, language, speed }: Utterance,
  languages: readonly EspeakLanguage[],
) {
  const variant = variants.get(voice);
  if (variant === undefined) {
    throw new SpeechRefusal(
      `Cannot speak with the voice "${voice}": espeak-ng has woman, man, ` +
        "f1 to f5, m1 to m8 and others",
    );
  }
  const file = fileOf(language, languages);
  if (file === undefined) {
    throw new SpeechRefusal(`Cannot speak "${language}": espeak-ng does not know the language`);
  }
  return {
    voice: variant === "" ? file : `${file}+${variant}`,
    rate: Math.round(wordsPerMinute * speed),
    // Double brackets would begin phonemes.
    text: text.replaceAll("[[", "[ ["),
  };
}

/** SSML in espeak's dialect: it knows digits and spelling as characters. */
const espeakSsml = (ssml: string): string => {
  const known = ssml.replaceAll(
    /interpret-as="(?:digits|spell-out)"/g,
    'interpret-as="characters"',
  );
  return `<speak>${known.replaceAll("[[", "[ [")}</speak>`;
};

/** The program espeak-ng, where it is installed. */
export async function espeakProgram(): Promise<SpeechEngine> {
  const languages = await listLanguages();
  return {
    name: "espeak-ng",
    async speak(utterance, signal) {
      const { voice, rate, text } = espeakTerms(utterance, languages);
      const { ssml } = utterance;
      const markup = ssml === undefined ? [] : ["-m"];
      return readWav(
        await runProgram("espeak-ng", {
          args: [...markup, "-v", voice, "-s", String(rate), "--stdin", "--stdout"],
          input: new TextEncoder().encode(ssml === undefined ? text : espeakSsml(ssml)),
          maxBytes: speechLimits.soundBytes,
          signal,
        }),
      );
    },
  };
}

/** Each line after the first: rank, language, gender, name, file, and other languages with ranks. */
async function listLanguages(): Promise<EspeakLanguage[]> {
  const signal = AbortSignal.timeout(speechLimits.speakMs);
  const input = new Uint8Array();
  const options = { args: ["--voices"], input, maxBytes: 1 << 20, signal };
  const table = new TextDecoder().decode(await runProgram("espeak-ng", options));
  return table.split("\n").slice(1).flatMap((line) => {
    const [rank, language, , , file] = line.trim().split(/\s+/);
    if (language === undefined || file === undefined) return [];
    const others = [...line.matchAll(/\(([^\s(]+) (\d+)\)/g)].map(([, language = "", rank]) => ({
      language,
      file,
      rank: Number(rank),
    }));
    return [{ language, file, rank: Number(rank) }, ...others];
  });
}
