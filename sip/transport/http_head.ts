import type { Socket } from "node:net";
import { sipLimits } from "../base/limits.ts";
import { createByteBuffer } from "../base/byte_buffer.ts";
import type { Clock } from "../base/clock.ts";

/** The head of an HTTP/1.1 message (RFC 9112 §2). */
export interface HttpHead {
  readonly startLine: string;
  /** By name in small letters; several of one name stand together, with commas. */
  readonly fields: ReadonlyMap<string, string>;
}

export interface HttpHeadEvents {
  /** The stream is paused; `rest` is what came behind the head. */
  onHead(head: HttpHead, rest: Uint8Array): void;
  /** Why there is none, as the status of an answer (RFC 9110 §15.5, RFC 6585 §5). */
  onFailure(status: 400 | 408 | 431): void;
}

const headEnd = "\r\n\r\n";

/** Reads the head that a stream begins with; one of the events follows, unless the stream ends. */
export function readHttpHead(socket: Socket, clock: Clock, events: HttpHeadEvents): void {
  const bytes = createByteBuffer();
  let searched = 0;
  const done = () => {
    stop();
    socket.off("data", take);
    socket.off("close", done);
  };
  const fail = (status: 408 | 431) => {
    done();
    events.onFailure(status);
  };
  const take = (chunk: Uint8Array) => {
    bytes.add(chunk);
    const end = bytes.held.indexOf(headEnd, searched, "latin1");
    if ((end < 0 ? bytes.held.length : end) > sipLimits.httpHeadBytes) return fail(431);
    searched = Math.max(0, bytes.held.length - headEnd.length + 1);
    if (end < 0) return;
    done();
    socket.pause();
    const head = parseHead(bytes.held.toString("latin1", 0, end));
    if (head === undefined) return events.onFailure(400);
    bytes.drop(end + headEnd.length);
    events.onHead(head, bytes.held);
  };
  const stop = clock.after(sipLimits.connectTimeoutMs, () => fail(408));
  socket.on("close", done);
  socket.on("data", take);
}

/**
 * A field line (RFC 9112 §5). A value begins and ends with no space, so that there is one way to read a
 * run of spaces: anybody may send one as long as a head.
 */
const field =
  /^([!#$%&'*+\-.^_`|~\w]+):[ \t]*(?:([^\r\n\0 \t](?:[^\r\n\0]*[^\r\n\0 \t])?)[ \t]*)?$/;

function parseHead(text: string): HttpHead | undefined {
  const [startLine = "", ...lines] = text.split("\r\n");
  const fields = new Map<string, string>();
  for (const line of lines) {
    const [, name, value = ""] = field.exec(line) ?? [];
    if (name === undefined) return undefined;
    const before = fields.get(name.toLowerCase());
    fields.set(name.toLowerCase(), before === undefined ? value : `${before}, ${value}`);
  }
  return { startLine, fields };
}

/** True when a list, such as the value of Connection, has a token; case does not matter. */
export const listsToken = ({ fields }: HttpHead, name: string, token: string): boolean =>
  (fields.get(name) ?? "").split(",").some((one) => one.trim().toLowerCase() === token);
