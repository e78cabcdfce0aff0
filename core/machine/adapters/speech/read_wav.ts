import { type Sound, SpeechRefusal } from "./engine.ts";

/**
 * Reads a WAV file of 16-bit PCM, which is what the engines write and what calls are recorded as; two
 * channels are mixed. One that is cut off, or whose header promises more, gives what it has.
 */
export function readWav(bytes: Uint8Array): Sound {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tag = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));
  if (bytes.length < 12 || tag(0) !== "RIFF" || tag(8) !== "WAVE") {
    throw new SpeechRefusal("Cannot read the audio: it is not a WAV file");
  }
  let format: { channels: number; sampleRate: number } | undefined;
  for (let at = 12; at + 8 <= bytes.length;) {
    const size = view.getUint32(at + 4, true);
    if (tag(at) === "fmt " && at + 24 <= bytes.length) {
      const [encoding, channels] = [view.getUint16(at + 8, true), view.getUint16(at + 10, true)];
      const bits = view.getUint16(at + 22, true);
      if (encoding !== 1 || bits !== 16 || channels < 1 || channels > 2) {
        throw new SpeechRefusal("Cannot read the audio: it must be 16-bit PCM, mono or stereo");
      }
      format = { channels, sampleRate: view.getUint32(at + 12, true) };
    }
    if (tag(at) === "data" && format !== undefined) {
      const { channels, sampleRate } = format;
      const length = Math.floor(Math.min(size, bytes.length - at - 8) / (2 * channels));
      const sample = (i: number) => view.getInt16(at + 8 + 2 * i, true);
      const pcm = Int16Array.from(
        { length },
        (_, i) => channels === 1 ? sample(i) : (sample(2 * i) + sample(2 * i + 1)) >> 1,
      );
      return { pcm, sampleRate };
    }
    at += 8 + size + size % 2;
  }
  throw new SpeechRefusal("Cannot read the audio: the WAV file has no audio in it");
}
