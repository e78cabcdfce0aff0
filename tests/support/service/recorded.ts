import type { RecordingPart } from "../../../core/protocol/recordings.ts";
import { amplitudeOf } from "../media/tone.ts";

/** The samples of one recording, its parts in their places; repeats change nothing. */
export function samplesOf(parts: RecordingPart[], sid?: string): Int16Array {
  const own = parts.filter(({ recording }) => sid === undefined || recording.sid === sid);
  const pieces = own.map(({ at, data }) => ({ at, bytes: Uint8Array.fromBase64(data) }));
  const size = Math.max(0, ...pieces.map(({ at, bytes }) => at + bytes.length));
  const all = new Uint8Array(size);
  for (const { at, bytes } of pieces) all.set(bytes, at);
  return new Int16Array(all.buffer);
}

/** One of several interleaved channels. */
export const channelOf = (samples: Int16Array, channel: number, channels = 2): Int16Array =>
  samples.filter((_, i) => i % channels === channel);

/** Seconds in which a frequency is louder than 1000 of 32767, looked at every 20 ms. */
export function secondsOf(hz: number, samples: Int16Array): number {
  let frames = 0;
  for (let at = 0; at + 160 <= samples.length; at += 160) {
    if (amplitudeOf(hz, samples.subarray(at, at + 160)) > 1_000) frames++;
  }
  return frames * 0.02;
}

/** Samples of a WAV file of 16-bit PCM with a header of 44 bytes. */
export function readRecording(file: Uint8Array<ArrayBuffer>) {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const tag = (at: number) => new TextDecoder().decode(file.subarray(at, at + 4));
  return {
    tags: [tag(0), tag(8), tag(12), tag(36)].join(" "),
    riffBytes: view.getUint32(4, true),
    format: view.getUint16(20, true),
    channels: view.getUint16(22, true),
    sampleRate: view.getUint32(24, true),
    bits: view.getUint16(34, true),
    dataBytes: view.getUint32(40, true),
    samples: new Int16Array(file.slice(44, file.length - file.length % 2).buffer),
  };
}
