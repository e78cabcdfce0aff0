import type { IncomingResponseMessage } from "../base/sip_js.ts";
import type { UssdText } from "../../core/protocol/ussd.ts";
import type { Content } from "../base/info.ts";
import { sipLimits } from "../base/limits.ts";
import { partsOf, typeOf } from "./body_parts.ts";

/** The body of a USSD dialogue (3GPP TS 24.390 §5.1), and the INFO package that carries it. */
export const ussdType = "application/vnd.3gpp.ussd+xml";
const ussdPackage = "g.3gpp.ussd";

/** Accept of both ends of a USSD dialogue; TS 24.390 §4.5 demands the types of IMS. */
export const ussdHeaders = [
  `Recv-Info: ${ussdPackage}`,
  `Accept: application/sdp, application/3gpp-ims+xml, ${ussdType}, multipart/mixed`,
];

/** Headers of the INFO of a USSD text (RFC 6086 §4.1, §8.2). */
export const ussdInfoHeaders = [
  `Info-Package: ${ussdPackage}`,
  "Content-Disposition: Info-Package",
];

/** USSD text of a peer; `isError` where it could not perform the request. */
export interface UssdSaid extends UssdText {
  isError: boolean;
}

/** True when a body is a USSD text, or has one among its parts. */
export const mayBeUssd = (contentType: string): boolean =>
  [ussdType, "multipart/mixed"].includes(typeOf(contentType));

/** The USSD text of a body, and the SDP beside it, empty without one; undefined where there is none. */
export function ussdIn(body: Content): { said: UssdSaid; sdp: string } | undefined {
  const parts = partsOf(body);
  const content = parts.find(({ contentType }) => typeOf(contentType) === ussdType)?.content;
  const said = content === undefined ? undefined : readUssd(content);
  const sdp = parts.find(({ contentType }) => typeOf(contentType) === "application/sdp")?.content;
  return said && { said, sdp: sdp ?? "" };
}

/** Undefined where the text is too long or is no `ussd-data`. */
function readUssd(xml: string): UssdSaid | undefined {
  if (xml.length > sipLimits.ussdBodyLength || /<!(DOCTYPE|ENTITY)/i.test(xml)) return undefined;
  if (!/<(?:[\w.-]+:)?ussd-data[\s>]/.test(xml)) return undefined;
  const text = valueOf(xml, "ussd-string");
  const error = valueOf(xml, "error-code");
  // A confirmation that a text was shown has the operation and no text.
  const isConfirmation = valueOf(xml, "anyExt") !== undefined;
  if (text === undefined && error === undefined && !isConfirmation) return undefined;
  const language = valueOf(xml, "language");
  return {
    text: text ?? "",
    isError: error !== undefined,
    ...language !== undefined && /^[\w-]{1,16}$/.test(language) && { language },
  };
}

/** Content of an element, or of its attribute `value`, which older peers write. */
function valueOf(xml: string, name: string): string | undefined {
  const open = new RegExp(`<((?:[\\w.-]+:)?${name})(\\s[^<>]*?)?(/)?>`).exec(xml);
  if (open === null) return undefined;
  const [whole, tag, attributes = "", isEmpty] = open;
  const value = /\svalue\s*=\s*(?:"([^"]*)"|'([^']*)')/.exec(attributes);
  if (value !== null) return decoded(value[1] ?? value[2] ?? "");
  if (isEmpty) return "";
  const start = open.index + whole.length;
  const end = xml.indexOf(`</${tag}`, start);
  return end < 0 ? undefined : decoded(xml.slice(start, end));
}

const named: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function decoded(text: string): string {
  return text.replace(/^\s*<!\[CDATA\[([^]*?)\]\]>\s*$/, (_, inner: string) => escaped(inner))
    .replace(
      /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/gi,
      (_, hex, digits, name) => {
        if (name !== undefined) return named[name.toLowerCase()] ?? "";
        const point = hex !== undefined ? parseInt(hex, 16) : Number(digits);
        const isText = point <= 0x10ffff && (point >= 0x20 || point === 10 || point === 13);
        return isText && !(point >= 0xd800 && point <= 0xdfff) ? String.fromCodePoint(point) : "";
      },
    );
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Kind of a text to the peer: `ask` wants a reply, `tell` wants none, `end` ends the dialogue. */
export function writeUssd(
  { text, language }: UssdText,
  kind: "ask" | "tell" | "end",
): Content {
  // Control characters have no place in XML.
  // deno-lint-ignore no-control-regex
  const shown = escaped(text.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, ""));
  const operation = { ask: "UnstructuredSS-Request", tell: "UnstructuredSS-Notify", end: "" }[kind];
  const content = '<?xml version="1.0" encoding="UTF-8"?>\n<ussd-data>' +
    (language === undefined ? "" : `<language>${escaped(language)}</language>`) +
    `<ussd-string>${shown}</ussd-string>` +
    (operation === "" ? "" : `<anyExt><${operation}/></anyExt>`) + "</ussd-data>\n";
  return { contentType: ussdType, content };
}

/** The body of an INVITE: beside an offer, as networks want it, and alone. */
export interface UssdInvitation {
  whole: Content;
  alone: Content;
}

/**
 * The body that begins a dialogue (3GPP TS 24.390 §4.4.1A, §4.5): a session has an offer, here of an
 * audio stream that is none, as its port is 0.
 */
export function writeUssdInvitation(message: UssdText, kind: "ask" | "tell"): UssdInvitation {
  const alone = writeUssd(message, kind);
  const boundary = crypto.randomUUID();
  const parts = [
    ["Content-Type: application/sdp", "", sdpWithoutMedia("m=audio 0 RTP/AVP 0 8\r\n")],
    [
      `Content-Type: ${ussdType}`,
      "Content-Disposition: render;handling=optional",
      "",
      alone.content,
    ],
  ].map((lines) => `--${boundary}\r\n${lines.join("\r\n")}\r\n`);
  return {
    alone,
    whole: {
      contentType: `multipart/mixed;boundary="${boundary}"`,
      content: `${parts.join("")}--${boundary}--\r\n`,
    },
  };
}

/**
 * True when a peer that refused an INVITE may accept one without an offer beside the text (RFC 3261
 * §21.4.13).
 */
export const takesUssdAlone = (response: IncomingResponseMessage): boolean =>
  response.statusCode === 415 &&
  (!response.hasHeader("accept") || response.getHeaders("accept").join().includes(ussdType));

/** The answer to an offer of which no stream is taken (RFC 3264 §6); an offer of none to nothing. */
export function sdpWithoutMedia(offer: string): string {
  const streams = offer.split(/\r?\n/).filter((line) => line.startsWith("m="))
    .map((line) => line.replace(/^m=(\S+) \S+/, "m=$1 0"));
  const session = ["v=0", `o=- ${Date.now()} 1 IN IP4 0.0.0.0`, "s=-", "c=IN IP4 0.0.0.0", "t=0 0"];
  return [...session, ...streams, ""].join("\r\n");
}
