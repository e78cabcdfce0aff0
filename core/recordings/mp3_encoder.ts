import { createEncoder, createMp3Encoder, type WasmMediaEncoder } from "wasm-media-encoders";

/** A piece of 16-bit samples, of one encoding; the channels take turns. */
export interface Mp3Piece {
  channels: 1 | 2;
  sampleRate: 8_000;
  kbps: 24 | 48;
  samples: Int16Array<ArrayBuffer>;
  /** True for the last piece. */
  isLast: boolean;
}

type Encoder = WasmMediaEncoder<"audio/mpeg">;

let compiled: WebAssembly.Module | undefined;
/** Encoders that no encoding uses. One has some 2 MiB, and costs more to make than to use. */
const idle: Encoder[] = [];
const mostIdle = 4;

async function takeEncoder(): Promise<Encoder> {
  const encoder = idle.pop();
  if (encoder !== undefined) return encoder;
  if (compiled !== undefined) return await createEncoder("audio/mpeg", compiled);
  const first = await createMp3Encoder();
  // The package keeps it in a private field, and hands it out to no one without the file of the code.
  compiled = (first as unknown as { module: { module: WebAssembly.Module } }).module.module;
  return first;
}

/** An MP3 that is encoded piece by piece, one after another. */
export interface Mp3Encoding {
  encode(piece: Mp3Piece): Promise<Uint8Array<ArrayBuffer>>;
  /** Gives up the rest. */
  close(): void;
}

/** Begins an MP3. */
export function openMp3(): Mp3Encoding {
  let encoder: Encoder | undefined;
  const close = () => {
    if (encoder !== undefined && idle.length < mostIdle) idle.push(encoder);
    encoder = undefined;
  };
  return {
    async encode({ channels, sampleRate, kbps: bitrate, samples, isLast }) {
      if (encoder === undefined) {
        encoder = await takeEncoder();
        encoder.configure({ channels, sampleRate, bitrate, outputSampleRate: sampleRate });
      }
      // The encoder writes its next bytes over these.
      const made = samples.length === 0
        ? new Uint8Array()
        : encoder.encode(apart(samples, channels)).slice();
      if (!isLast) return made;
      const rest = encoder.finalize().slice();
      close();
      const whole = new Uint8Array(made.length + rest.length);
      whole.set(made);
      whole.set(rest, made.length);
      return whole;
    },
    close,
  };
}

/** Samples by channel, between -1 and 1. */
function apart(samples: Int16Array<ArrayBuffer>, channels: number): Float32Array[] {
  const length = samples.length / channels;
  return Array.from({ length: channels }, (_, channel) => {
    const own = new Float32Array(length);
    // `at` stays below the length.
    for (let at = 0; at < length; at++) own[at] = samples[at * channels + channel]! / 32_768;
    return own;
  });
}
