import { createHash } from "node:crypto";

// `!` follows indexes that a loop, a mask or a check of lengths keeps within their array.

/**
 * HMAC-SHA1 (RFC 2104, FIPS 180-4) of packets that lie in a buffer with room behind them. What depends
 * on the key alone is computed once, and nothing is allocated for a packet: it takes half the CPU time
 * of a library, and a tenth of that of the platform's, which begins anew each time.
 */

/** Words of a prepared key: the states of SHA-1 after its inner block and after its outer one. */
export const HMAC_KEY_WORDS = 10;

/** Bytes that `hmacSha1` writes behind the message, at most. */
export const HMAC_PADDING_BYTES = 72;

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 20;
const schedule = new Int32Array(80);
const state = new Int32Array(5);
const INITIAL = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);
/** The block that the outer hash takes: the inner digest, and the padding that is always the same. */
const outerBlock = new DataView(new ArrayBuffer(BLOCK_BYTES));
pad(outerBlock, DIGEST_BYTES);

/** Prepares a key; of one that is longer than a block its hash stands for it (RFC 2104 §2). */
export function newHmacKey(secret: Uint8Array): Int32Array {
  const key = secret.length > BLOCK_BYTES ? createHash("sha1").update(secret).digest() : secret;
  const after = (pad: number) => {
    const block = new Uint8Array(BLOCK_BYTES).fill(pad);
    key.forEach((byte, i) => block[i] = byte ^ pad);
    const hash = INITIAL.slice();
    compress(hash, new DataView(block.buffer), 0);
    return hash;
  };
  return Int32Array.of(...after(0x36), ...after(0x5c));
}

/**
 * The code of a buffer's first bytes as five words, lent until the next call, by the prepared key that
 * is at a place of an array; pads behind the bytes.
 */
export function hmacSha1(
  key: Int32Array,
  view: DataView,
  length: number,
  keyAt = 0,
): Int32Array {
  const end = pad(view, length);
  for (let i = 0; i < 5; i++) state[i] = key[keyAt + i]!;
  for (let at = 0; at < end; at += BLOCK_BYTES) compress(state, view, at);
  for (let i = 0; i < 5; i++) outerBlock.setInt32(i * 4, state[i]!);
  for (let i = 0; i < 5; i++) state[i] = key[keyAt + 5 + i]!;
  compress(state, outerBlock, 0);
  return state;
}

/** Fills the last block of a message that follows the key's (FIPS 180-4 §5.1.1); returns its end. */
function pad(view: DataView, length: number): number {
  const end = Math.ceil((length + 9) / BLOCK_BYTES) * BLOCK_BYTES;
  view.setUint8(length, 0x80);
  for (let at = length + 1; at < end - 4; at++) view.setUint8(at, 0);
  view.setInt32(end - 4, (BLOCK_BYTES + length) * 8);
  return end;
}

/** SHA-1's computation of one block (§6.1.2). */
function compress(hash: Int32Array, view: DataView, at: number): void {
  const w = schedule;
  for (let t = 0; t < 16; t++) w[t] = view.getInt32(at + t * 4);
  for (let t = 16; t < 80; t++) w[t] = rotated(w[t - 3]! ^ w[t - 8]! ^ w[t - 14]! ^ w[t - 16]!, 1);
  let a = hash[0]!;
  let b = hash[1]!;
  let c = hash[2]!;
  let d = hash[3]!;
  let e = hash[4]!;
  for (let t = 0; t < 80; t++) {
    const mixed = t < 20
      ? (d ^ (b & (c ^ d))) + 0x5a827999
      : t < 40
      ? (b ^ c ^ d) + 0x6ed9eba1
      : t < 60
      ? ((b & c) | (d & (b | c))) + 0x8f1bbcdc
      : (b ^ c ^ d) + 0xca62c1d6;
    const next = (rotated(a, 5) + mixed + e + w[t]!) | 0;
    e = d;
    d = c;
    c = rotated(b, 30);
    b = a;
    a = next;
  }
  hash[0]! += a;
  hash[1]! += b;
  hash[2]! += c;
  hash[3]! += d;
  hash[4]! += e;
}

const rotated = (word: number, by: number) => (word << by) | (word >>> (32 - by));
