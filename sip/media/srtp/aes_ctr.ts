// `!` follows indexes that a loop, a mask or a check of lengths keeps within their array.

/**
 * AES-128 in counter mode (FIPS 197, NIST SP 800-38A §6.5), as SRTP uses it: encryption alone, over
 * words of 32 bits, without anything allocated for a packet. It takes half the CPU time of the
 * quickest library in JavaScript; the platform's own cipher costs more for so few bytes.
 *
 * Its tables are read at places that depend on the key, so who measures the processor's caches, from
 * within the machine, could learn it. Over the network nothing is to be measured: packets are taken
 * together every few ms. A key lives as long as its call.
 */

/** The counter block that the next keystream begins with; set by the caller. */
export const counter = new Int32Array(4);

/** Words of an expanded key. */
export const ROUND_KEY_WORDS = 44;

const BLOCK_BYTES = 16;
/** Beginning of the last round's key; that round mixes no columns (§5.1). */
const LAST_ROUND = 40;

/** Twice an element of the field of 256 elements (§4.2.1). */
const doubled = (byte: number) => (byte << 1) ^ ((byte & 0x80) === 0 ? 0 : 0x11b);

const sBox = createSBox();
/** SubBytes and MixColumns of a column's first byte; those of the others are the same, rotated. */
const mixed = Int32Array.from(sBox, (s) => {
  const twice = doubled(s);
  return (twice << 24) | (s << 16) | (s << 8) | (twice ^ s);
});

/** §5.1.1: the multiplicative inverse, found by powers of 3 and of its inverse, and an affine map. */
function createSBox(): Uint8Array {
  const box = new Uint8Array(256);
  box[0] = 0x63;
  let power = 1;
  let inverse = 1;
  do {
    power ^= doubled(power);
    inverse ^= inverse << 1;
    inverse ^= inverse << 2;
    inverse = (inverse ^ (inverse << 4)) & 0xff;
    if ((inverse & 0x80) !== 0) inverse ^= 0x09;
    const repeated = inverse * 0x101;
    box[power] = inverse ^ (repeated >> 7) ^ (repeated >> 6) ^ (repeated >> 5) ^ (repeated >> 4) ^
      0x63;
  } while (power !== 1);
  return box;
}

const substituted = (word: number) =>
  (sBox[word >>> 24]! << 24) | (sBox[(word >>> 16) & 0xff]! << 16) |
  (sBox[(word >>> 8) & 0xff]! << 8) | sBox[word & 0xff]!;

/** Expands a key of 16 bytes (§5.2). */
export function expandKey(key: Uint8Array): Int32Array {
  if (key.length !== BLOCK_BYTES) {
    throw new Error(`Cannot take an AES-128 key: it has ${key.length} bytes`);
  }
  const view = new DataView(key.buffer, key.byteOffset, key.length);
  const words = new Int32Array(ROUND_KEY_WORDS);
  for (let i = 0; i < 4; i++) words[i] = view.getInt32(i * 4);
  let constant = 1;
  for (let i = 4; i < ROUND_KEY_WORDS; i++) {
    let word = words[i - 1]!;
    if (i % 4 === 0) {
      word = substituted((word << 8) | (word >>> 24)) ^ (constant << 24);
      constant = doubled(constant);
    }
    words[i] = words[i - 4]! ^ word;
  }
  return words;
}

/**
 * Encrypts, or decrypts, from a place to another by the keystream of a key, which the array begins
 * with, from `counter` on. Whole blocks
 * are written, so up to 15 bytes beyond the end are changed, too. At most 65536 blocks: the counter's
 * last 16 bits go round.
 */
export function xorKeystream(
  keys: Int32Array,
  view: DataView,
  start: number,
  end: number,
): void {
  const first = counter[0]! ^ keys[0]!;
  const second = counter[1]! ^ keys[1]!;
  const third = counter[2]! ^ keys[2]!;
  let last = counter[3]!;
  for (let at = start; at < end; at += BLOCK_BYTES) {
    let a = first;
    let b = second;
    let c = third;
    let d = last ^ keys[3]!;
    for (let key = 4; key < LAST_ROUND; key += 4) {
      const p = column(a, b, c, d) ^ keys[key]!;
      const q = column(b, c, d, a) ^ keys[key + 1]!;
      const r = column(c, d, a, b) ^ keys[key + 2]!;
      d = column(d, a, b, c) ^ keys[key + 3]!;
      a = p;
      b = q;
      c = r;
    }
    xorWord(view, at, lastColumn(a, b, c, d) ^ keys[LAST_ROUND]!);
    xorWord(view, at + 4, lastColumn(b, c, d, a) ^ keys[LAST_ROUND + 1]!);
    xorWord(view, at + 8, lastColumn(c, d, a, b) ^ keys[LAST_ROUND + 2]!);
    xorWord(view, at + 12, lastColumn(d, a, b, c) ^ keys[LAST_ROUND + 3]!);
    last = (last & ~0xffff) | ((last + 1) & 0xffff);
  }
}

/** A column of the next state: its bytes come of one column each, as ShiftRows moves them (§5.1.2). */
function column(a: number, b: number, c: number, d: number): number {
  const second = mixed[(b >>> 16) & 0xff]!;
  const third = mixed[(c >>> 8) & 0xff]!;
  const fourth = mixed[d & 0xff]!;
  return mixed[a >>> 24]! ^ ((second >>> 8) | (second << 24)) ^
    ((third >>> 16) | (third << 16)) ^ ((fourth >>> 24) | (fourth << 8));
}

const lastColumn = (a: number, b: number, c: number, d: number) =>
  (sBox[a >>> 24]! << 24) | (sBox[(b >>> 16) & 0xff]! << 16) |
  (sBox[(c >>> 8) & 0xff]! << 8) | sBox[d & 0xff]!;

const xorWord = (view: DataView, at: number, word: number) =>
  view.setInt32(at, view.getInt32(at) ^ word);
