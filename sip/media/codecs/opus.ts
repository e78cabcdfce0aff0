import { Buffer } from "node:buffer";
import { FRAME_SAMPLES, type Pcm } from "../base/port.ts";

/** Opus (RFC 6716) to and from samples of 8 kHz, for one leg: both sides have a memory. */
export interface OpusCodec {
  /** The sound of a packet; throws when it is none of Opus. */
  decode(payload: Uint8Array): Pcm;
  /** A packet of 2.5, 5, 10 or 20 ms. */
  encode(pcm: Pcm): Uint8Array<ArrayBuffer>;
  /** Frees its memory; may be repeated. Nothing is coded from now on. */
  close(): void;
}

/** What speech at 8 kHz is worth. */
const BITS_PER_SECOND = 20_000;

/** Loads the codec where a first peer needs it. */
export async function openOpus(): Promise<OpusCodec> {
  const { default: OpusScript } = await import("opusscript");
  const codec = new OpusScript(8_000, 1, OpusScript.Application.VOIP);
  codec.setBitrate(BITS_PER_SECOND);
  let closed = false;
  return {
    decode(payload) {
      const bytes = codec.decode(Buffer.from(payload));
      // A copy, as the bytes are those of the codec's own memory.
      return new Int16Array(new Uint8Array(bytes).buffer);
    },
    encode(pcm) {
      if (pcm.length > FRAME_SAMPLES) throw new Error("Cannot encode: more than 20 ms");
      const bytes = Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength);
      return new Uint8Array(codec.encode(bytes, pcm.length));
    },
    close() {
      if (!closed) codec.delete();
      closed = true;
    },
  };
}
