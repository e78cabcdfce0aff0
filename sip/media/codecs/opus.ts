/**
 * Opus, transcoded at the edge of a leg whose peer offers nothing else; everything within is G.711 at 8
 * kHz. opusscript does it (libopus in WebAssembly, MIT), loaded with the first such peer. It costs 1 to 2
 * % of a core a leg, so that the companion never offers Opus.
 */
import { Buffer } from "node:buffer";
import type { Pcm } from "../base/port.ts";

/** Opus (RFC 6716) to and from samples of 8 kHz, for one leg: both sides have a memory. */
export interface OpusCodec {
  /** The sound of a packet; throws when it is none of Opus. */
  decode(payload: Uint8Array): Pcm;
  /** A packet of 2.5, 5, 10 or 20 ms. */
  encode(pcm: Pcm): Uint8Array<ArrayBuffer>;
  /** Another one, to and from samples of 16 kHz. */
  openWide(): OpusCodec;
  /** Frees its memory; may be repeated. Nothing is coded from now on. */
  close(): void;
}

/** Samples per second, and what speech at that rate is worth. */
const NARROW = { rate: 8_000, bitsPerSecond: 20_000 } as const;
const WIDE = { rate: 16_000, bitsPerSecond: 28_000 } as const;

type Library = typeof import("opusscript");

/** Loads the codec where a first peer needs it. */
export async function openOpus(): Promise<OpusCodec> {
  const { default: OpusScript } = await import("opusscript");
  return codecOf(OpusScript, NARROW);
}

function codecOf(
  OpusScript: Library,
  { rate, bitsPerSecond }: typeof NARROW | typeof WIDE,
): OpusCodec {
  const codec = new OpusScript(rate, 1, OpusScript.Application.VOIP);
  codec.setBitrate(bitsPerSecond);
  const mostSamples = rate / 50;
  let closed = false;
  return {
    decode(payload) {
      const bytes = codec.decode(Buffer.from(payload));
      // A copy, as the bytes are those of the codec's own memory.
      return new Int16Array(new Uint8Array(bytes).buffer);
    },
    encode(pcm) {
      if (pcm.length > mostSamples) throw new Error("Cannot encode: more than 20 ms");
      const bytes = Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength);
      return new Uint8Array(codec.encode(bytes, pcm.length));
    },
    openWide: () => codecOf(OpusScript, WIDE),
    close() {
      if (!closed) codec.delete();
      closed = true;
    },
  };
}
