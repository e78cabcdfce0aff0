import { loadEspeak } from "../espeak_package/load_espeak.ts";
import type { SpeechEngine } from "./engine.ts";
import { type EspeakLanguage, espeakTerms } from "./espeak.ts";
import { speechLimits } from "./limits.ts";

/** The part of the package that is used; it has no types. */
interface Worker {
  list_voices(): { identifier: string; languages: { name: string; priority: number }[] }[];
  set_voice(name: string, language: string, gender: number, age: number, variant: number): number;
  set_rate(wordsPerMinute: number): void;
  get_samplerate(): number;
  /** Calls back with samples while it speaks; true from there ends it. */
  synthesize(text: string, take: (samples: Int16Array | null) => boolean): void;
}

/**
 * espeak-ng as an npm package, for machines where no program is installed. It is loaded at the first
 * use, in the speech process alone: it is GPL-3, and no other process contains it.
 */
export function espeakNpm(): SpeechEngine {
  let loading: Promise<{ worker: Worker; languages: EspeakLanguage[] }> | undefined;
  return {
    name: "espeak-ng (npm)",
    async speak(utterance) {
      const { worker, languages } = await (loading ??= load());
      const { voice, rate, text } = espeakTerms(utterance, languages);
      if (worker.set_voice(voice, "", 0, 0, 0) !== 0) {
        throw new Error(`Cannot speak: espeak-ng does not take the voice ${voice}`);
      }
      worker.set_rate(rate);
      const parts: Int16Array[] = [];
      let length = 0;
      worker.synthesize(text, (samples) => {
        if (samples !== null && samples.length > 0) parts.push(samples);
        length += samples?.length ?? 0;
        return length * 2 > speechLimits.soundBytes;
      });
      if (length * 2 > speechLimits.soundBytes) throw new Error("Cannot speak: it takes too long");
      const pcm = new Int16Array(length);
      parts.reduce((at, part) => (pcm.set(part, at), at + part.length), 0);
      return { pcm, sampleRate: worker.get_samplerate() };
    },
  };
}

async function load() {
  const { default: open } = await loadEspeak();
  const { eSpeakNGWorker } = await open() as { eSpeakNGWorker: new () => Worker };
  const worker = new eSpeakNGWorker();
  const languages = worker.list_voices().flatMap(({ identifier: file, languages }) =>
    languages.map(({ name: language, priority: rank }) => ({ language, file, rank }))
  );
  return { worker, languages };
}
