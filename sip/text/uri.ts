import { NameAddrHeader, URI } from "../base/sip_js.ts";
import { sipLimits } from "../base/limits.ts";
import { readUserPart, type UserPart } from "../../core/base/user_part.ts";
import { isHeaderSafe, parseParameters } from "./grammar.ts";

/**
 * Scheme, user, host, port, parameters and headers (RFC 3261 §19.1.1). Values of parameters may be
 * quoted, as OpenSIPS does to hide a topology: `;thinfo="…="`.
 */
const sipUri = new RegExp(
  [
    /^(sips?):(?:([^\s<>"@]+)@)?/,
    /(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9.])?)(?::(\d{1,5}))?/,
    /(?:;([^\s<>?]*))?(?:\?([^\s<>"]*))?$/,
  ].map(({ source }) => source).join(""),
  "i",
);
const scheme = /^[A-Za-z][A-Za-z0-9+.-]*$/;

/** A SIP or SIPS URI (RFC 3261 §19.1); undefined when it breaks the grammar. */
export function parseSipUri(text: string): URI | undefined {
  const [, kind, user = "", host, digits, parameters, query] = sipUri.exec(text) ?? [];
  if (kind === undefined || host === undefined || !isEscaped(user)) return undefined;
  const port = digits === undefined ? undefined : Number(digits);
  if (port !== undefined && port > 65_535) return undefined;
  // The user stays escaped: the library decodes it whenever it writes the URI.
  const uri = new URI(kind.toLowerCase(), user, host, port);
  if (!setParameters(uri, parameters) || !setHeaders(uri, query)) return undefined;
  return uri;
}

/** A SIP, SIPS, tel or other absolute URI; the opaque ones write themselves as they came. */
export function parseUri(text: string): URI | undefined {
  if (text.startsWith("sip:") || /^sips?:/i.test(text)) return parseSipUri(text);
  const [kind, opaque] = cut(text, ":");
  if (opaque === undefined || opaque === "" || !scheme.test(kind)) return undefined;
  if (/[\s<>"]/.test(opaque) || !isHeaderSafe(opaque)) return undefined;
  // A tel URI has the parameters of its number where a SIP URI has them too (RFC 3261 §19.1.6).
  const user = kind.toLowerCase() === "tel" ? opaque : cut(opaque, ";")[0];
  const uri = new URI(kind, isEscaped(opaque) ? user : "", "invalid");
  uri.toRaw = uri.toString = () => text;
  uri.clone = () => uri;
  return uri;
}

/** The user part as people write it: unescaped, without a password and the parameters of a number. */
export const userOf = (uri: URI): string => decodeURIComponent(userPartOf(uri).user);

/** The user part without a password, still escaped, apart from the parameters of a number in it. */
export const userPartOf = (uri: URI): UserPart => readUserPart(cut(uri.user ?? "", ":")[0]);

/** The URI of a dialled number or name at a proxy. */
export function trunkUri(dialled: string, proxy: URI): URI {
  const uri = proxy.clone();
  uri.user = encodeURIComponent(dialled.toWellFormed());
  return uri;
}

/** A URI of ours for a user part that may hold anything. */
export function userUri(user: string, domain: string): URI {
  return new URI("sip", encodeURIComponent(user.toWellFormed()), domain);
}

/** Most addresses: a SIP URI in brackets, with no other parameters than these. */
const plainAddress = new RegExp(
  [
    /^<sip:(?:([A-Za-z0-9\-_.!~*'()&=+$,]+)@)?([A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9.])?)/,
    /(?::(\d{1,5}))?(?:;transport=([a-z]+))?>(?:;tag=([A-Za-z0-9\-.!%*_+`'~]+))?$/,
  ].map(({ source }) => source).join(""),
);

/** From, To and Contact (RFC 3261 §20.10); undefined when it breaks the grammar. */
export function parseNameAddr(text: string): NameAddrHeader | undefined {
  const [, user = "", host, port, transport, tag] = plainAddress.exec(text) ?? [];
  const number = port === undefined ? undefined : Number(port);
  if (host === undefined || number !== undefined && number > 65_535) return parseAnyNameAddr(text);
  const uri = new URI("sip", user, host, number);
  if (transport !== undefined) uri.setParam("transport", transport);
  const header = new NameAddrHeader(uri, "", {});
  if (tag !== undefined) header.setParam("tag", tag);
  return header;
}

function parseAnyNameAddr(text: string): NameAddrHeader | undefined {
  const open = openOf(text);
  const split = open < 0 ? splitBare(text) : splitNamed(text, open);
  if (split === undefined) return undefined;
  const uri = parseUri(split.uri);
  if (uri === undefined) return undefined;
  const header = new NameAddrHeader(uri, split.name, {});
  if (split.rest === "") return header;
  if (!split.rest.startsWith(";")) return undefined;
  const parameters = parseParameters(split.rest.slice(1));
  for (const { name, value } of parameters ?? []) header.setParam(name, value);
  return parameters && header;
}

interface NameAddrParts {
  /** As it stands between quotes. */
  name: string;
  uri: string;
  rest: string;
}

/** Index of the bracket that opens the URI, behind a quoted name; -1 for none. */
function openOf(text: string): number {
  const from = quotedEnd(text);
  const named = text.slice(from).search(/<[A-Za-z][A-Za-z0-9+.-]*:/);
  return named < 0 ? text.indexOf("<", from) : from + named;
}

/** The place behind a quoted string that a text begins with: 0 for none, its end for an open one. */
function quotedEnd(text: string): number {
  if (!text.startsWith('"')) return 0;
  let end = 1;
  while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  return Math.min(end + 1, text.length);
}

/** An address as it is written, without its name: `<sip:a@b>;x` of `A (B) <sip:a@b>;x`. */
export function withoutName(text: string): string {
  const open = openOf(text);
  return open < 0 ? text : text.slice(open);
}

/**
 * Names that should be quoted and are not (RFC 4475 §3.1.2.15) are taken as they are: no call is worth
 * less for the name of its caller.
 */
function splitNamed(text: string, open: number): NameAddrParts | undefined {
  const close = text.indexOf(">", open);
  if (close < 0) return undefined;
  const written = text.slice(0, open).trim();
  const isQuoted = written !== "" && quotedEnd(written) === written.length;
  const name = isQuoted ? written.slice(1, -1) : written.replace(/["\\]/g, "\\$&");
  return { name, uri: text.slice(open + 1, close), rest: text.slice(close + 1).trim() };
}

function splitBare(text: string): NameAddrParts | undefined {
  const [uri, rest] = cut(text, ";");
  // Without brackets the URI may hold no comma, semicolon or question mark (§20).
  if (/[,?]/.test(uri)) return undefined;
  return { name: "", uri: uri.trim(), rest: rest === undefined ? "" : `;${rest}` };
}

function setParameters(uri: URI, text: string | undefined): boolean {
  if (text === undefined) return true;
  const parameters = parseParameters(text);
  for (const { name, value } of parameters ?? []) {
    uri.setParam(name, name === "transport" ? value?.toLowerCase() : value);
  }
  return parameters !== undefined;
}

function setHeaders(uri: URI, text: string | undefined): boolean {
  if (text === undefined) return true;
  const headers = text.split("&", sipLimits.parts + 1);
  if (headers.length > sipLimits.parts) return false;
  for (const header of headers) {
    const [name, value] = cut(header, "=");
    if (value === undefined || name === "") return false;
    uri.setHeader(name, [...(uri.getHeader(name) ?? []), value]);
  }
  return true;
}

/** True when sip.js can decode and escape a text: half of a surrogate pair has no bytes in UTF-8. */
function isEscaped(text: string): boolean {
  if (!text.isWellFormed()) return false;
  if (!text.includes("%")) return true;
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Text before and after the first separator; the latter undefined when there is none. */
function cut(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
