import { readWav } from "../../../core/machine/adapters/speech/read_wav.ts";
import type { Sound } from "../../../core/machine/adapters/speech/engine.ts";
import { needs } from "../process/programs.ts";

/** A test of a speech program; it is skipped without the program as `needs()` says. */
export function programTest(program: string, name: string, fn: () => Promise<void>): void {
  Deno.test({ ...needs(program), name, timeout: 240_000, fn });
}

/**
 * Length of a sound and of its voiced 20 ms frames, which are louder than a whisper, in seconds.
 */
export function voiceIn({ pcm, sampleRate }: Sound): { seconds: number; voicedS: number } {
  const frame = Math.round(sampleRate / 50);
  let voiced = 0;
  for (let at = 0; at + frame <= pcm.length; at += frame) {
    let power = 0;
    for (let i = at; i < at + frame; i++) power += pcm[i]! ** 2;
    if (Math.sqrt(power / frame) > 300) voiced++;
  }
  return { seconds: pcm.length / sampleRate, voicedS: voiced / 50 };
}

/** Sound of a WAV file. */
export const soundOf = async (response: Response): Promise<Sound> =>
  readWav(await response.bytes());

/** Every second sample of speech at 16 kHz: as the telephone has it, but for its filter. */
export function asTelephone({ pcm, sampleRate }: Sound): Sound {
  if (sampleRate !== 16_000) throw new Error(`Cannot halve ${sampleRate}`);
  // A short low-pass, so that what is above 4 kHz does not come back below it.
  const halved = Int16Array.from({ length: pcm.length >> 1 }, (_, i) => {
    const at = (offset: number) => pcm[2 * i + offset] ?? 0;
    return Math.round((at(-1) + 2 * at(0) + at(1)) / 4);
  });
  return { pcm: halved, sampleRate: 8_000 };
}

/** Words as flite says them, which pocketsphinx understands best. */
export async function wordsOf(text: string): Promise<Sound> {
  const file = await Deno.makeTempFile({ suffix: ".wav" });
  try {
    const args = ["-voice", "rms", "-t", text, "-o", file];
    await new Deno.Command("flite", { args }).output();
    return await soundOf(new Response(await Deno.readFile(file)));
  } finally {
    await Deno.remove(file);
  }
}
