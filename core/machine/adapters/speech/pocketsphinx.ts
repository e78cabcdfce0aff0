import { type Heard, type RecognitionEngine, type Sound, SpeechRefusal } from "./engine.ts";
import { hintGrammar } from "./hint_grammar.ts";
import { speechLimits } from "./limits.ts";
import { type RunOptions, runProgram } from "./run_program.ts";
import { foldUp } from "./spectral_fold.ts";

/** Directory of the model in Debian; a grammar may have the words of its dictionary alone. */
export const modelDirectory = "/usr/share/pocketsphinx";
const dictionary = `${modelDirectory}/model/en-us/cmudict-en-us.dict`;

/** A grammar can answer nothing but its phrases, so what fits it is not sure to be what was said. */
const grammarConfidence = 0.6;
/** Dictation over the telephone is weak, whatever the program thinks of it. */
const dictationConfidence = 0.4;

/**
 * The program pocketsphinx_continuous, which hears English: one of the hints where it knows their
 * words, else what it makes of it. It reads grammars from files in `directory`.
 */
export function pocketsphinx(directory: string): RecognitionEngine {
  let loading: Promise<Set<string>> | undefined;
  return {
    name: "pocketsphinx",
    async recognise(sound, { language, hints, kind }, signal) {
      if (!/^en\b/i.test(language)) {
        throw new SpeechRefusal(`Cannot recognise "${language}": pocketsphinx knows English only`);
      }
      const words = hints.length === 0 ? new Set<string>() : await (loading ??= knownWords());
      const grammar = hintGrammar(hints, words);
      const niceness = kind === "recording" ? speechLimits.transcribingNiceness : 0;
      if (grammar === null) return await dictation(sound, { args: [], niceness, signal });
      const file = `${directory}/${crypto.randomUUID()}.tmp`;
      try {
        await Deno.writeTextFile(file, grammar.text, { mode: 0o600 });
        const { text } = await dictation(sound, {
          args: ["-jsgf", file],
          niceness,
          signal,
        });
        return { text: grammar.spelling(text), confidence: text === "" ? 0 : grammarConfidence };
      } finally {
        await Deno.remove(file).catch(() => {});
      }
    },
  };
}

async function dictation(
  sound: Sound,
  { args, niceness, signal }: Pick<RunOptions, "args" | "signal"> & { niceness: number },
): Promise<Heard> {
  const lines = await runProgram("pocketsphinx_continuous", {
    args: ["-infile", "/dev/stdin", "-logfn", "/dev/null", "-time", "yes", ...args],
    input: ReadableStream.from(samplesOf(sound)),
    maxBytes: 16 << 20,
    niceness,
    signal,
  });
  const words = readWords(new TextDecoder().decode(lines));
  const sure = words.reduce((sum, { sureness }) => sum + sureness, 0) / (words.length || 1);
  const confidence = Math.round(Math.min(dictationConfidence, sure) * 1_000) / 1_000;
  return { text: words.map(({ word }) => word).join(" "), confidence };
}

/** 16-bit samples at 16 kHz, as the model wants them, slice by slice. */
function* samplesOf({ pcm, sampleRate }: Sound): Generator<Uint8Array> {
  if (sampleRate !== 8_000 && sampleRate !== 16_000) {
    throw new SpeechRefusal(`Cannot recognise audio at ${sampleRate} Hz: it must be 8000 or 16000`);
  }
  const slices = sampleRate === 16_000 ? [new Int16Array(pcm)] : foldUp(pcm);
  for (const slice of slices) yield new Uint8Array(slice.buffer);
}

/** The lines "word start end probability", without what is no word: `<sil>`, `++NOISE++`. */
function readWords(text: string): { word: string; sureness: number }[] {
  return text.split("\n").flatMap((line) => {
    const [, word, sureness] = /^([a-z'.-]+)(?:\(\d+\))? [\d.]+ [\d.]+ ([\d.]+)$/.exec(line) ?? [];
    return word === undefined ? [] : [{ word, sureness: Math.min(1, Number(sureness)) }];
  });
}

async function knownWords(): Promise<Set<string>> {
  const text = await Deno.readTextFile(dictionary).catch(() => "");
  return new Set(text.split("\n").map((line) => line.replace(/[ (].*/, "")));
}
