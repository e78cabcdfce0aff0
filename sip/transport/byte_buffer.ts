import { Buffer } from "node:buffer";

/** Bytes that came and are not used up yet. What it is given becomes its own. */
export interface ByteBuffer {
  /** What is held, in one piece. */
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
export function createByteBuffer(): ByteBuffer {
  let held: Buffer = none;
  /** Where `held` ends in memory that has room behind it. */
  let memory: Buffer = none;
  let end = 0;

  const append = (chunk: Uint8Array) => {
    const length = held.length + chunk.length;
    if (end + chunk.length > memory.length) {
      memory = Buffer.allocUnsafe(Math.max(smallest, 2 * length));
      end = held.copy(memory);
    }
    memory.set(chunk, end);
    end += chunk.length;
    held = memory.subarray(end - length, end);
  };
  const release = () => {
    held = memory = none;
    end = 0;
  };
  return {
    get held() {
      return held;
    },
    add(chunk) {
      if (held.length === 0) held = asBuffer(chunk);
      else if (chunk.length > 0) append(chunk);
    },
    drop(bytes) {
      if (bytes >= held.length) release();
      else held = held.subarray(bytes);
    },
  };
}

const asBuffer = (chunk: Uint8Array): Buffer =>
  Buffer.isBuffer(chunk)
    ? chunk
    : Buffer.from(chunk.buffer as ArrayBuffer, chunk.byteOffset, chunk.byteLength);
