import { Buffer } from "node:buffer";
import { sipLimits } from "../limits.ts";

/** A stream that cannot be cut into messages any more. */
export class FramingError extends Error {
  override readonly name = "FramingError";
  constructor(why: string) {
    super(`Cannot find the next message in a stream: ${why}`);
  }
}

/** What a stream brought: a whole message, or a keep-alive that wants an answer. */
export type Frame = { message: string } | "ping";

/** Cuts a stream of bytes into messages by Content-Length (RFC 3261 §18.3). */
export interface Framer {
  /** Takes what came, and gives what is whole now; throws FramingError. */
  push(chunk: Uint8Array): Frame[];
  /** Whether a message has begun and is not whole yet. */
  readonly partial: boolean;
}

const headEnd = "\r\n\r\n";
const smallest = 1 << 10;
const none = Buffer.alloc(0);

export function createFramer(): Framer {
  // Grows by doubling: to copy all that is held for each chunk would cost the square of its size.
  let buffer = none;
  let length = 0;
  /** Where the search for the end of the head goes on. */
  let searched = 0;
  /** The size of the message that has begun, once its head is whole. */
  let size: number | undefined;

  const hold = (chunk: Uint8Array) => {
    if (length + chunk.length > buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(smallest, 2 * (length + chunk.length)));
      buffer.copy(grown, 0, 0, length);
      buffer = grown;
    }
    buffer.set(chunk, length);
    length += chunk.length;
  };
  const drop = (bytes: number) => {
    buffer.copyWithin(0, bytes, length);
    length -= bytes;
    searched = 0;
    size = undefined;
    if (length === 0) buffer = none;
  };
  const startsWith = (text: string) =>
    length >= text.length && buffer.toString("latin1", 0, text.length) === text;

  /** Line ends between messages: two are a ping (RFC 5626 §3.5.1), one is nothing. */
  const skipLineEnds = (frames: Frame[]): void => {
    for (;;) {
      if (startsWith(headEnd)) {
        frames.push("ping");
        drop(headEnd.length);
      } else if (length > 2 && startsWith("\r\n") && buffer[2] !== 0x0d) drop(2);
      else return;
    }
  };
  const isLineEnds = () => headEnd.startsWith(buffer.toString("latin1", 0, Math.min(length, 5)));

  const next = (): string | undefined => {
    if (size === undefined) {
      const head = buffer.subarray(0, length).indexOf(headEnd, searched, "latin1");
      if (head < 0) {
        searched = Math.max(0, length - headEnd.length + 1);
        if (length > sipLimits.messageBytes) throw new FramingError("its head does not end");
        return undefined;
      }
      size = head + headEnd.length + contentLength(buffer.toString("latin1", 0, head));
      if (size > sipLimits.messageBytes) throw new FramingError("it is too long");
    }
    if (length < size) return undefined;
    const message = buffer.toString("utf8", 0, size);
    drop(size);
    return message;
  };

  return {
    push(chunk) {
      hold(chunk);
      const frames: Frame[] = [];
      for (;;) {
        skipLineEnds(frames);
        const message = isLineEnds() ? undefined : next();
        if (message === undefined) return frames;
        frames.push({ message });
      }
    },
    get partial() {
      return !isLineEnds();
    },
  };
}

/** Some leave it out when there is no body, though a stream needs it (§20.14). */
function contentLength(head: string): number {
  const lengths = head.matchAll(/\r\n(?:Content-Length|l)[ \t]*:[ \t]*([^\r]*)/gi);
  const values = new Set([...lengths].map(([, value]) => value?.trim() ?? ""));
  const [value = "0", ...others] = values;
  if (others.length > 0) throw new FramingError("it has two lengths");
  if (!/^\d{1,10}$/.test(value)) throw new FramingError("its length is no number");
  return Number(value);
}
