/**
 * Records that cross from one thread to another through shared memory, in order. A message wakes the other
 * thread, and costs more than all else of a frame of audio; this wakes nobody, so that the reader has to
 * look. One thread writes, one reads.
 */

export type RingMemory = SharedArrayBuffer;

/** Places of the header, in words: what was written and read so far, in bytes modulo 2 to the power of 32. */
const WRITTEN = 0;
const READ = 1;
const HEADER_BYTES = 8;
/** Of each record: whose it is, and its length. */
const RECORD_BYTES = 8;

/** Memory for records of so many bytes together, a power of two. */
export const ringMemory = (bytes: number): RingMemory =>
  new SharedArrayBuffer(HEADER_BYTES + bytes);

interface Ring {
  state: Int32Array;
  words: Int32Array;
  bytes: Uint8Array;
}

const ringOf = (memory: RingMemory): Ring => ({
  state: new Int32Array(memory, 0, 2),
  words: new Int32Array(memory, HEADER_BYTES),
  bytes: new Uint8Array(memory, HEADER_BYTES),
});

const padded = (length: number): number => (length + 3) & ~3;

/**
 * Writes a record of a length, above 0, for a reader, whose number is above 0, by `fill`. False where there
 * is no room, or `fill` says that it did not fill it: then nothing was written.
 */
export type WriteRecord = (
  id: number,
  length: number,
  fill: (bytes: Uint8Array, at: number) => boolean | void,
) => boolean;

export function ringWriter(memory: RingMemory): WriteRecord {
  const { state, words, bytes } = ringOf(memory);
  return (id, length, fill) => {
    const size = RECORD_BYTES + padded(length);
    const written = Atomics.load(state, WRITTEN);
    const free = bytes.length - ((written - Atomics.load(state, READ)) >>> 0);
    const at = written & (bytes.length - 1);
    // A record lies in one piece: what is left at the end is skipped.
    const skipped = at + size > bytes.length ? bytes.length - at : 0;
    if (skipped + size > free) return false;
    const begin = skipped > 0 ? 0 : at;
    if (fill(bytes, begin + RECORD_BYTES) === false) return false;
    if (skipped > 0) words[at >> 2] = 0;
    words[begin >> 2] = id;
    words[(begin >> 2) + 1] = length;
    Atomics.store(state, WRITTEN, (written + skipped + size) | 0);
    return true;
  };
}

/**
 * Hands out the records that have come; their bytes are the receiver's own. An error of `take` is reported
 * (`reportError`): the other records are not to suffer for it, nor whoever reads.
 */
export function ringReader(
  memory: RingMemory,
  take: (id: number, bytes: Uint8Array<ArrayBuffer>) => void,
): () => void {
  const { state, words, bytes } = ringOf(memory);
  return () => {
    const written = Atomics.load(state, WRITTEN);
    // The callback may call this again, which then reads on.
    for (let read = state[READ]!; ((written - read) | 0) > 0; read = state[READ]!) {
      const at = read & (bytes.length - 1);
      const id = words[at >> 2]!;
      if (id === 0) {
        Atomics.store(state, READ, (read + bytes.length - at) | 0);
        continue;
      }
      const length = words[(at >> 2) + 1]!; // The writer keeps a record in one piece.
      const begin = at + RECORD_BYTES;
      const own = new Uint8Array(length);
      own.set(bytes.subarray(begin, begin + length));
      Atomics.store(state, READ, (read + RECORD_BYTES + padded(length)) | 0);
      try {
        take(id, own);
      } catch (error) {
        reportError(error);
      }
    }
  };
}
