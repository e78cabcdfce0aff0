import type { Pcm } from "../../../sip/media/base/port.ts";

/** Numbers between 0 and 1 that are the same at every run. */
export function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const samplesOf = (seconds: number) => Math.round(seconds * 8_000);

/** White noise of a level in dBFS. */
export function noise(seconds: number, dbfs: number, random = numbers(1)): Pcm {
  const amplitude = 32_768 * 10 ** (dbfs / 20) * Math.sqrt(3);
  return Int16Array.from(
    { length: samplesOf(seconds) },
    () => Math.round(amplitude * (2 * random() - 1)),
  );
}

/**
 * Synthetic speech by its level. Syllables of 120 to 260 ms have a voice of 120 Hz and breath, of
 * varying loudness around a level in dBFS, and short gaps between them.
 */
export function speech(seconds: number, dbfs = -22, random = numbers(2)): Pcm {
  const result: Pcm = new Int16Array(samplesOf(seconds));
  const peak = 32_768 * 10 ** (dbfs / 20) * 2;
  let at = 0;
  while (at < result.length) {
    const length = samplesOf(0.12 + 0.14 * random());
    const loudness = peak * (0.5 + 0.5 * random());
    const pitch = 100 + 60 * random();
    for (let i = 0; i < length && at + i < result.length; i++) {
      const phase = 2 * Math.PI * pitch * i / 8_000;
      const voice = Math.sin(phase) + 0.6 * Math.sin(3 * phase) + 0.4 * Math.sin(7 * phase);
      const shape = Math.sin(Math.PI * i / length);
      result[at + i] = Math.round(loudness * shape * (0.4 * voice + 0.3 * (2 * random() - 1)));
    }
    at += length + samplesOf(0.02 + 0.06 * random());
  }
  return result;
}

export const silence = (seconds: number): Pcm => new Int16Array(samplesOf(seconds));

/** One after the other. */
export function inTurn(...parts: Pcm[]): Pcm {
  const result: Pcm = new Int16Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    result.set(part, at);
    at += part.length;
  }
  return result;
}

/** Both at once. */
export const mixed = (one: Pcm, other: Pcm): Pcm =>
  one.map((sample, i) => Math.max(-32_768, Math.min(32_767, sample + (other[i] ?? 0))));

/** In frames of 20 ms, without what is left over. */
export const framesOf = (pcm: Pcm): Pcm[] =>
  Array.from({ length: Math.floor(pcm.length / 160) }, (_, i) => pcm.slice(i * 160, (i + 1) * 160));
