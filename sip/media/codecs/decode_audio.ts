import { looksLikeMp3, readMp3 } from "./mp3.ts";
import type { Pcm } from "../base/port.ts";
import { resample } from "./resample.ts";
import { readWav } from "./wav.ts";

const PCM_RATE = 8_000;

/**
 * The samples of a WAV or MP3 file; which of the two it is, its first bytes tell, whatever it is
 * called. Throws an Error that says why it cannot be read.
 */
export async function decodeAudio(bytes: Uint8Array, contentType: string | null): Promise<Pcm> {
  if (bytes.length === 0) throw new Error("it is empty");
  const { samples, sampleRate } = await read(bytes, contentType);
  const pcm = await resample(samples, sampleRate, PCM_RATE);
  if (pcm.length === 0) throw new Error("it is empty");
  return pcm;
}

function read(bytes: Uint8Array, contentType: string | null) {
  if (String.fromCharCode(...bytes.subarray(0, 4)) === "RIFF") return readWav(bytes);
  const saysMp3 = /^audio\/(?:mpeg|mp3|x-mpeg|x-mp3|mpeg3)\b/i.test(contentType ?? "");
  if (looksLikeMp3(bytes) || saysMp3) return readMp3(bytes);
  const type = contentType === null ? "" : `, its type is ${contentType.slice(0, 100)}`;
  throw new Error(`it is neither a WAV nor an MP3 file${type}`);
}
