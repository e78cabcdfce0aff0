import { sipLimits } from "../base/limits.ts";
import { createByteBuffer } from "../base/byte_buffer.ts";
import { inItsCharset } from "../text/charset.ts";

/** A stream that cannot be cut into messages any more. */
export class FramingError extends Error {
  override readonly name = "FramingError";
  constructor(why: string) {
    super(`Cannot find the next message in a stream: ${why}`);
  }
}

/** Result of a stream: a whole message, or a keep-alive that demands a response. */
export type Frame = { message: string } | "ping";

/** Cuts a stream of bytes into messages by Content-Length (RFC 3261 §18.3). */
export interface Framer {
  /** Takes what came, and gives what is whole now; throws FramingError. */
  push(chunk: Uint8Array): Frame[];
  /** True while a message has begun and is not whole. */
  readonly partial: boolean;
}

const headEnd = "\r\n\r\n";

export function createFramer(): Framer {
  const bytes = createByteBuffer();
  /** Index at which the search for the end of the head goes on. */
  let searched = 0;
  /** The size of the message that has begun, once its head is whole. */
  let size: number | undefined;

  const drop = (count: number) => {
    bytes.drop(count);
    searched = 0;
    size = undefined;
  };
  const begins = (text: string) => bytes.held.toString("latin1", 0, text.length) === text;

  /** Line ends between messages: two are a ping (RFC 5626 §3.5.1), one is nothing. */
  const skipLineEnds = (frames: Frame[]): void => {
    for (;;) {
      if (begins(headEnd)) {
        frames.push("ping");
        drop(headEnd.length);
      } else if (bytes.held.length > 2 && begins("\r\n") && bytes.held[2] !== 0x0d) drop(2);
      else return;
    }
  };
  const isLineEnds = () => headEnd.startsWith(bytes.held.toString("latin1", 0, headEnd.length + 1));

  const next = (): string | undefined => {
    const { held } = bytes;
    if (size === undefined) {
      const head = held.indexOf(headEnd, searched, "latin1");
      if (head < 0) {
        searched = Math.max(0, held.length - headEnd.length + 1);
        if (held.length > sipLimits.messageBytes) throw new FramingError("its head does not end");
        return undefined;
      }
      size = head + headEnd.length + contentLength(held.toString("latin1", 0, head));
      if (size > sipLimits.messageBytes) throw new FramingError("it is too long");
    }
    if (held.length < size) return undefined;
    const message = inItsCharset(held.toString("utf8", 0, size), held.subarray(0, size));
    drop(size);
    return message;
  };

  return {
    push(chunk) {
      bytes.add(chunk);
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
