import { isIP } from "node:net";
import { plainAddress } from "../../base/networks.ts";

/**
 * Headers that say different things about the client: answered with 400. A proxy sets one, and the client may
 * have forged the other. The proxy must overwrite both, or remove one.
 */
export class ContradictoryProxy extends Error {
  override readonly name = "ContradictoryProxy";
  constructor() {
    super(
      "Cannot tell the client's address: Forwarded and X-Forwarded-For differ. " +
        "Have the reverse proxy set one and remove the other",
    );
  }
}

export interface ForwardedHeaders {
  forwarded: string | undefined;
  xForwardedFor: string | undefined;
}

/**
 * True when trusted proxies say that the client reached them by TLS: every scheme in `Forwarded` (RFC
 * 7239 §5.4) and `X-Forwarded-Proto` is https or wss, and there is one.
 */
export function clientUsesTls(
  { forwarded = "", xForwardedProto = "" }: {
    forwarded: string | undefined;
    xForwardedProto: string | undefined;
  },
): boolean {
  let isSaid = false;
  for (const said of schemes(forwarded, xForwardedProto)) {
    const scheme = said.trim();
    if (scheme === "") continue;
    if (!/^(?:https|wss)$/i.test(scheme)) return false;
    isSaid = true;
  }
  return isSaid;
}

function* schemes(forwarded: string, xForwardedProto: string): Generator<string> {
  for (const element of split(forwarded, ",")) yield parameter(element, "proto");
  yield* xForwardedProto.split(",");
}

/**
 * The address of the client behind trusted proxies: of those that `Forwarded` (RFC 7239) or
 * `X-Forwarded-For` lists, the last one that is no trusted proxy. Whatever stands before it is the
 * client's own claim. Undefined where the proxies do not name it.
 */
export function clientAddress(
  { forwarded, xForwardedFor }: ForwardedHeaders,
  isTrusted: (host: string) => boolean,
): string | undefined {
  const named = forwarded === undefined
    ? undefined
    : clientOf(split(forwarded, ","), (element) => parameter(element, "for"), isTrusted);
  if (xForwardedFor === undefined) return named;
  const listed = clientOf(xForwardedFor.split(","), (node) => node, isTrusted);
  if (forwarded !== undefined && named !== listed) throw new ContradictoryProxy();
  return listed;
}

/** Reads the elements of a list from its end, and no more of them than it takes. */
function clientOf(
  elements: readonly string[],
  nodeOf: (element: string) => string,
  isTrusted: (host: string) => boolean,
): string | undefined {
  let client: string | undefined;
  for (const element of elements.toReversed()) {
    const host = hostOf(nodeOf(element));
    if (host === undefined) return client;
    client = host;
    if (!isTrusted(host)) return client;
  }
  return client;
}

/** A parameter of an element of a Forwarded header, "" where it has none (RFC 7239 §4). */
function parameter(element: string, name: "for" | "proto"): string {
  if (!element.includes("=")) return "";
  const pair = split(element, ";").find((one) =>
    one.split("=", 1).some((key) => key.trim().toLowerCase() === name)
  );
  const value = pair?.slice(pair.indexOf("=") + 1).trim() ?? "";
  return value.replace(/^"(.*)"$/, "$1").replace(/\\(.)/g, "$1");
}

/** Quoted strings, the last of which may lack its end, and what is between them. */
const pieces = /"(?:\\.|[^"\\])*("?)|[^"]+/g;

/**
 * Splits where a separator stands outside of a quoted string. A quote without an end quotes nothing:
 * else a client's own claim could swallow what a proxy adds to it.
 */
function split(text: string, separator: string): string[] {
  if (!text.includes('"')) return text.split(separator).filter((part) => part !== "");
  const parts: string[] = [""];
  for (const [piece, end] of text.matchAll(pieces)) {
    const [first = "", ...more] = end === '"' ? [piece] : piece.split(separator);
    parts.push(parts.pop() + first, ...more);
  }
  return parts.filter((part) => part !== "");
}

/** An address with or without a port (RFC 7239 §6); undefined of obfuscated and unknown ones. */
function hostOf(node: string): string | undefined {
  const text = node.trim();
  const bare = /^\[([^\]]*)\](?::[\w.-]+)?$/.exec(text)?.[1] ??
    /^(\d+\.\d+\.\d+\.\d+)(?::[\w.-]+)?$/.exec(text)?.[1] ?? text;
  return isIP(bare) === 0 ? undefined : plainAddress(bare);
}
