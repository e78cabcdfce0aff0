import { decodeG711, encodeG711 } from "../codecs/g711.ts";
import { FRAME_SAMPLES, type Pcm } from "../base/port.ts";
import type { StreamEncoding } from "../base/stream_port.ts";

/** Encoder and decoder of a stream's frames. */
export interface Coding {
  /** Bytes of 20 ms, and of a sample. */
  frameBytes: number;
  sampleBytes: number;
  /** A byte of silence. */
  silence: number;
  /** The bytes are lent until the next call. */
  encode(frame: Pcm): Uint8Array;
  decode(bytes: Uint8Array<ArrayBuffer>): Pcm;
}

/** Buffer in which frames of all streams are encoded, one after the other. */
const encoded = new Uint8Array(FRAME_SAMPLES);

export const codings: Readonly<Record<StreamEncoding, Coding>> = {
  "audio/x-mulaw": {
    frameBytes: FRAME_SAMPLES,
    sampleBytes: 1,
    silence: 0xff,
    encode: (frame) => encodeG711("PCMU", frame, encoded),
    decode: (bytes) => decodeG711("PCMU", bytes),
  },
  // Machines that Deno runs on are little-endian, as the wire is.
  "audio/l16": {
    frameBytes: 4 * FRAME_SAMPLES,
    sampleBytes: 2,
    silence: 0,
    encode: ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
    decode: (bytes) => new Int16Array(bytes.slice().buffer),
  },
};
