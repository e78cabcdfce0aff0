import { readerOf } from "./dtls_bytes.ts";
import { HANDSHAKE } from "./dtls_messages.ts";
import { mediaLimits } from "../base/limits.ts";

/** A whole message of a handshake. Finished came in sealed records, and all others in the clear. */
export interface Message {
  type: number;
  body: Uint8Array;
}

interface Partial extends Message {
  /** Bytes that came. */
  has: Uint8Array;
  missing: number;
}

/** Puts together fragments of messages (RFC 6347 §4.2.3), and brings the messages into their order. */
export interface Reassembly {
  /**
   * Takes the fragments of a record; returns whether there was one of a message that was had
   * before.
   */
  take(body: Uint8Array, sealed: boolean): boolean;
  /** The next message, once it is whole; one that is refused is forgotten, and its place is free. */
  next(isTaken: (message: Message) => boolean): Message | undefined;
}

/** The messages that we know; what else claims to be one cannot be of a handshake that we offered. */
const TYPES: ReadonlySet<number> = new Set(Object.values(HANDSHAKE));

export function createReassembly(): Reassembly {
  let due = 0;
  const partials = new Map<number, Partial>();

  const takeFragment = (source: ReturnType<typeof readerOf>, sealed: boolean): boolean => {
    const [type, length, sequence, offset] = [1, 3, 2, 3].map(source.number) as Four;
    const fragment = source.vector(3);
    if (offset + fragment.length > length || length > mediaLimits.handshakeBytes) return false;
    if (fragment.length === 0 && length > 0) return false;
    if (!TYPES.has(type) || sealed !== (type === HANDSHAKE.finished)) return false;
    if (sequence < due) return true;
    if (sequence >= due + mediaLimits.handshakeMessages) return false;
    const known = partials.get(sequence);
    // Of two messages in one place one is forged: the later one, as the peer repeats what it sent.
    const fits = known?.type === type && known.body.length === length;
    const partial = fits ? known : newPartial(type, length);
    partials.set(sequence, partial);
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
        // A part that was cut off is lost.
      }
      return isOld;
    },
    next(isTaken) {
      const partial = partials.get(due);
      if (partial === undefined || partial.missing > 0) return undefined;
      partials.delete(due);
      if (!isTaken(partial)) return undefined;
      due++;
      return partial;
    },
  };
}

type Four = [number, number, number, number];

const newPartial = (type: number, length: number): Partial => ({
  type,
  body: new Uint8Array(length),
  has: new Uint8Array(length),
  missing: length,
});
