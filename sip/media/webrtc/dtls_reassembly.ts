import { readerOf } from "./dtls_bytes.ts";
import { mediaLimits } from "../limits.ts";

/** A whole message of a handshake. */
export interface Message {
  type: number;
  body: Uint8Array;
  /** Whether all of it came in sealed records. */
  sealed: boolean;
}

interface Partial extends Message {
  /** Which of its bytes came. */
  has: Uint8Array;
  missing: number;
}

/** Puts together fragments of messages (RFC 6347 §4.2.3), and brings the messages into their order. */
export interface Reassembly {
  /** Takes the fragments of a record; returns whether there was one of a message that was had before. */
  take(body: Uint8Array, sealed: boolean): boolean;
  /** The next message, once it is whole. */
  next(): Message | undefined;
}

export function createReassembly(): Reassembly {
  let due = 0;
  const partials = new Map<number, Partial>();

  const takeFragment = (source: ReturnType<typeof readerOf>, sealed: boolean): boolean => {
    const [type, length, sequence, offset] = [1, 3, 2, 3].map(source.number) as Four;
    const fragment = source.vector(3);
    if (offset + fragment.length > length || length > mediaLimits.handshakeBytes) return false;
    if (sequence < due) return true;
    if (sequence >= due + mediaLimits.handshakeMessages) return false;
    const partial = partials.get(sequence) ?? newPartial(type, length);
    // Another message in its place is forged, as may be the first: the handshake then fails or waits.
    if (partial.type !== type || partial.body.length !== length) return false;
    partials.set(sequence, partial);
    partial.sealed &&= sealed;
    partial.body.set(fragment, offset);
    for (let i = offset; i < offset + fragment.length; i++) {
      if (partial.has[i] === 0) partial.missing--;
      partial.has[i] = 1;
    }
    return false;
  };

  return {
    take(body, sealed) {
      let isOld = false;
      try {
        const source = readerOf(body);
        while (!source.isAtEnd()) isOld = takeFragment(source, sealed) || isOld;
      } catch {
        // What was cut off is lost.
      }
      return isOld;
    },
    next() {
      const partial = partials.get(due);
      if (partial === undefined || partial.missing > 0) return undefined;
      partials.delete(due++);
      return partial;
    },
  };
}

type Four = [number, number, number, number];

const newPartial = (type: number, length: number): Partial => ({
  type,
  body: new Uint8Array(length),
  sealed: true,
  has: new Uint8Array(length),
  missing: length,
});
