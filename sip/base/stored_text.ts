/**
 * Bytes of messages over UDP, which are kept for up to 32 s to be repeated. They lie in shared buffers
 * outside of V8's young generation, whose collector copied each of them. A message that needs no
 * retransmission leaves its queue at once. The ACK to a 2xx is not kept: the library repeats it.
 */
import { Buffer } from "node:buffer";

/** The bytes of a text, where they lie. */
export interface StoredText {
  readonly slab: Buffer<ArrayBuffer>;
  readonly from: number;
  readonly end: number;
}

const slabBytes = 256 << 10;
const encoder = new TextEncoder();

let slab: Buffer<ArrayBuffer> = Buffer.alloc(0);
let used = 0;

/**
 * Writes the bytes of a message into a buffer that many messages share, which the garbage collector
 * does not copy. `room` bytes before them are free.
 */
export function storeText(text: string, room = 0): StoredText {
  // A character takes three bytes at most.
  const most = room + 3 * text.length;
  if (used + most > slab.length) {
    slab = Buffer.allocUnsafeSlow(Math.max(slabBytes, most));
    used = 0;
  }
  const from = used + room;
  used = from + encoder.encodeInto(text, slab.subarray(from)).written;
  return { slab, from, end: used };
}
