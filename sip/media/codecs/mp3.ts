import { MPEGDecoder } from "mpg123-decoder";
import { mediaLimits } from "../base/limits.ts";
import type { WavAudio } from "./wav.ts";

/** True where a file begins as MP3 does: with an ID3 tag, or with a frame's header. */
export function looksLikeMp3(bytes: Uint8Array): boolean {
  const [first = 0, second = 0, third = 0] = bytes;
  if (first === 0x49 && second === 0x44 && third === 0x33) return true; // "ID3"
  // Eleven bits of synchronisation; version, layer, bit rate and sampling that exist (ISO 11172-3).
  return first === 0xff && (second & 0xe0) === 0xe0 && (second & 0x18) !== 0x08 &&
    (second & 0x06) !== 0 && (third & 0xf0) !== 0xf0 && (third & 0x0c) !== 0x0c;
}

/**
 * Reads an MP3 file, two channels mixed; throws `Cannot read MP3: …`. It gives way to other work
 * between slices, so that a long file does not hold up the frames of running calls.
 */
export async function readMp3(bytes: Uint8Array): Promise<WavAudio> {
  const decoder = new MPEGDecoder();
  await decoder.ready;
  try {
    const parts: Float32Array[] = [];
    let [length, sampleRate] = [0, 0];
    for (let at = 0; at < bytes.length; at += mediaLimits.mp3Slice) {
      if (at > 0) await new Promise((resolve) => setTimeout(resolve, 0));
      const decoded = decoder.decode(bytes.subarray(at, at + mediaLimits.mp3Slice));
      if (decoded.samplesDecoded === 0) continue;
      sampleRate ||= decoded.sampleRate;
      length += decoded.samplesDecoded;
      if (length > mediaLimits.mp3Samples) {
        throw unreadable(`it is longer than ${Math.floor(mediaLimits.mp3Samples / sampleRate)} s`);
      }
      parts.push(mixDown(decoded.channelData));
    }
    if (length === 0) throw unreadable("it has no audio that can be decoded");
    const samples = new Float32Array(length);
    parts.reduce((at, part) => (samples.set(part, at), at + part.length), 0);
    return { sampleRate, samples };
  } finally {
    decoder.free();
  }
}

function mixDown([left, right]: Float32Array[]): Float32Array {
  if (left === undefined) return new Float32Array();
  return right === undefined
    ? left.slice()
    : left.map((sample, i) => (sample + (right[i] ?? sample)) / 2);
}

const unreadable = (why: string) => new Error(`Cannot read MP3: ${why}`);
