import { parseVia, type Via } from "../text/via.ts";

/** Fields of an outgoing message, which the core gives as text. */
export interface SentMessage {
  /** Undefined in a request. */
  readonly status: number | undefined;
  /** Of the CSeq: in a response, that of its request. */
  readonly method: string;
  readonly cseq: number;
  readonly callId: string;
  readonly via: Via;
  /** Target of a response by RFC 3581. */
  readonly rport: number | undefined;
}

/** Reads a message of ours, which is well-formed; throws when it is not. */
export function readSent(text: string): SentMessage {
  const via = header(text, "\r\nVia: ");
  const parsed = parseVia(via);
  const numbered = header(text, "\r\nCSeq: ");
  const space = numbered.indexOf(" ");
  if (parsed === undefined || space < 0) throw new Error("Cannot read our own message");
  const status = text.startsWith("SIP/2.0 ") ? Number(text.slice(8, 11)) : undefined;
  const rport = status === undefined ? undefined : /; *rport=(\d+)/i.exec(via)?.[1];
  return {
    status,
    method: numbered.slice(space + 1),
    cseq: Number(numbered.slice(0, space)),
    callId: header(text, "\r\nCall-ID: "),
    via: parsed,
    rport: rport === undefined ? undefined : Number(rport),
  };
}

function header(text: string, start: string): string {
  const from = text.indexOf(start) + start.length;
  return text.slice(from, text.indexOf("\r\n", from));
}
