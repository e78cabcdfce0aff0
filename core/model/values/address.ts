import { readUserPart } from "../../base/user_part.ts";
import { dialString } from "./dialled.ts";

/** A `sip:` or `sips:` address (RFC 3261 §19.1) without its headers. */
export interface SipAddress {
  kind: "sip";
  scheme: "sip" | "sips";
  /** With its escapes undone, without the parameters of a telephone number. */
  user: string;
  /** Those parameters (RFC 3261 §19.1.6), as they were written; empty where there are none. */
  userParameters: string;
  /** In small letters. */
  host: string;
  port: string | null;
  transport: string | null;
}

/** The address that a text names. */
export type Address =
  | { kind: "client"; login: string }
  | { kind: "number"; dialled: string }
  | SipAddress;

/**
 * Reads `client:NAME`, a SIP address with or without its scheme, a `tel:` URI (RFC 3966) or a number; null
 * for any other.
 */
export function parseAddress(text: string): Address | null {
  const client = /^client:([A-Za-z0-9\-._+]{1,64})$/.exec(text);
  if (client !== null) return { kind: "client", login: client[1]! };
  const isTel = /^tel:/i.test(text);
  if (!isTel && text.includes("@")) return parseSipAddress(text);
  const { user } = readUserPart(isTel ? text.slice("tel:".length) : text);
  const dialled = dialString(isTel ? unescaped(user) : user);
  return dialled === null ? null : { kind: "number", dialled };
}

function parseSipAddress(text: string): SipAddress | null {
  const parts = /^(?:(sips?):)?([^@:?\s]+)@([A-Za-z0-9._-]+)(?::(\d{1,5}))?(;[^?\s]*)?(?:\?.*)?$/i
    .exec(text);
  if (parts === null || !text.isWellFormed()) return null; // Half a surrogate pair has no escape.
  const [, scheme, user = "", host = "", port, parameters = ""] = parts;
  if (port !== undefined && !isPort(port)) return null;
  const part = readUserPart(user);
  const name = unescaped(part.user);
  if (name === "" || part.user.includes(";") || !parameter.test(part.parameters)) return null;
  return {
    kind: "sip",
    scheme: scheme?.toLowerCase() === "sips" ? "sips" : "sip",
    user: name,
    userParameters: part.parameters,
    host: host.toLowerCase(),
    port: port ?? null,
    transport: /;transport=(udp|tcp|tls|wss?)(?:;|$)/i.exec(parameters)?.[1]?.toLowerCase() ?? null,
  };
}

/** True when digits are a port (RFC 3986 §3.2.3 leaves the bound to the transport: 1 to 65535). */
export const isPort = (digits: string): boolean => Number(digits) >= 1 && Number(digits) <= 65_535;

/** Parameters of a user part, in signs that may stand in one unescaped (RFC 3261 §25.1). */
const parameter = /^(?:[A-Za-z0-9\-_.!~*'()&=+$,;/]|%[0-9A-Fa-f]{2})*$/;

/** A text with its escapes undone; empty where one of them is none. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

/** The address as a URI: what stands before the host may hold no sign that ends it. */
export const sipUri = (
  { scheme, user, userParameters, host, port, transport }: SipAddress,
): string =>
  `${scheme}:${encodeURIComponent(user).replaceAll("%2B", "+")}` +
  `${userParameters === "" ? "" : `;${userParameters}`}@${host}` +
  (port === null ? "" : `:${port}`) + (transport === null ? "" : `;transport=${transport}`);
