import { Buffer } from "node:buffer";

/** Bytes that came and are not used up yet. What it is given becomes its own. */
export interface ByteBuffer {
  /** The held bytes, in one piece. */
  readonly held: Buffer;
  add(chunk: Uint8Array): void;
  /** Forgets the first bytes. */
  drop(bytes: number): void;
}

const smallest = 1 << 10;
const none = Buffer.alloc(0);

/**
 * A chunk that meets nothing held is taken as it is; what is appended goes into memory that grows
 * by doubling. To copy all that is held for each chunk would cost the square of its size.
 */
export const createByteBuffer = (): ByteBuffer => new GrowingBuffer();

class GrowingBuffer implements ByteBuffer {
  held: Buffer = none;
  /** End of `held` in its memory, which has free bytes behind it. */
  #memory: Buffer = none;
  #end = 0;

  add(chunk: Uint8Array) {
    if (this.held.length === 0) this.held = asBuffer(chunk);
    else if (chunk.length > 0) this.#append(chunk);
  }
  drop(bytes: number) {
    if (bytes >= this.held.length) this.#release();
    else this.held = this.held.subarray(bytes);
  }
  #append(chunk: Uint8Array) {
    const length = this.held.length + chunk.length;
    if (this.#end + chunk.length > this.#memory.length) {
      this.#memory = Buffer.allocUnsafe(Math.max(smallest, 2 * length));
      this.#end = this.held.copy(this.#memory);
    }
    this.#memory.set(chunk, this.#end);
    this.#end += chunk.length;
    this.held = this.#memory.subarray(this.#end - length, this.#end);
  }
  #release() {
    this.held = this.#memory = none;
    this.#end = 0;
  }
}

const asBuffer = (chunk: Uint8Array): Buffer =>
  Buffer.isBuffer(chunk)
    ? chunk
    : Buffer.from(chunk.buffer as ArrayBuffer, chunk.byteOffset, chunk.byteLength);
