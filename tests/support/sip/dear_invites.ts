/**
 * INVITEs of 55 kB from unauthenticated sources, written to cost as much as a text of that size
 * can.
 */

const headerBytes = 7_900;
const headers = 7;

export interface InviteOptions {
  /** Repeated in headers of their own. */
  fill: string;
  transport: "WS" | "TCP" | "UDP";
}

/** One with the Call-ID and branch of its own that a number gives it. */
export function longInvite({ fill, transport }: InviteOptions): string {
  const id = crypto.randomUUID();
  const value = fill.repeat(Math.floor(headerBytes / fill.length));
  return [
    "INVITE sip:nobody@localhost SIP/2.0",
    `Via: SIP/2.0/${transport} stranger.invalid;branch=z9hG4bK${id};rport`,
    "Max-Forwards: 70",
    "From: <sip:stranger@localhost>;tag=1",
    "To: <sip:nobody@localhost>",
    `Call-ID: ${id}`,
    "CSeq: 1 INVITE",
    `Contact: <sip:stranger@stranger.invalid;transport=${transport.toLowerCase()}>`,
    ...Array.from({ length: headers }, (_, n) => `X-Fill-${n}: ${value}`),
    "Content-Length: 0",
    "",
    "",
  ].join("\r\n");
}

/** A text that no pattern finds anything in. */
export const usualFill = "abcdef";

/** Beginnings of what our patterns look for, over and over, without what would end it. */
export const dearFills = [
  "sip:a:",
  "sip:",
  "<sip:a",
  '"',
  '\\"',
  'a="b\\',
  ",<",
  ";a=b",
  "a ",
  "Digest uri=,",
  "%41",
  "\t",
];
