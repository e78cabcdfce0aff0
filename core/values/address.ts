import { dialString } from "./dialled.ts";

/** A `sip:` or `sips:` address (RFC 3261 §19.1) without its headers. */
export interface SipAddress {
  kind: "sip";
  scheme: "sip" | "sips";
  /** With its escapes undone. */
  user: string;
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

/** Reads `client:NAME`, a SIP address with or without its scheme, or a number; null for any other. */
export function parseAddress(text: string): Address | null {
  const client = /^client:([A-Za-z0-9\-._+]{1,64})$/.exec(text);
  if (client !== null) return { kind: "client", login: client[1]! };
  if (text.includes("@")) return parseSipAddress(text);
  const dialled = dialString(text);
  return dialled === null ? null : { kind: "number", dialled };
}

function parseSipAddress(text: string): SipAddress | null {
  const parts = /^(?:(sips?):)?([^@:;?\s]+)@([A-Za-z0-9._-]+)(?::(\d{1,5}))?(;[^?\s]*)?(?:\?.*)?$/i
    .exec(text);
  if (parts === null) return null;
  const [, scheme, user = "", host = "", port, parameters = ""] = parts;
  try {
    return {
      kind: "sip",
      scheme: scheme?.toLowerCase() === "sips" ? "sips" : "sip",
      user: decodeURIComponent(user),
      host: host.toLowerCase(),
      port: port ?? null,
      transport: /;transport=(udp|tcp|tls|wss?)(?:;|$)/i.exec(parameters)?.[1]?.toLowerCase() ??
        null,
    };
  } catch {
    return null; // An escape that is none.
  }
}

/** The address as a URI: what stands before the host may hold no sign that ends it. */
export const sipUri = ({ scheme, user, host, port, transport }: SipAddress): string =>
  `${scheme}:${encodeURIComponent(user).replaceAll("%2B", "+")}@${host}` +
  (port === null ? "" : `:${port}`) + (transport === null ? "" : `;transport=${transport}`);
