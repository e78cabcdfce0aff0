import type { IncomingMessage } from "node:http";
import { clientAddress, ContradictoryProxy, type ForwardedHeaders } from "./client_address.ts";
import { netLimits } from "./limits.ts";
import { plainAddress } from "../../base/networks.ts";
import { type Plain, refusals } from "./refusals.ts";
import { watchUntrustedProxies } from "./untrusted_proxy.ts";

/** A request whose head has been judged. */
export interface JudgedRequest extends IncomingMessage {
  /** The address of its client. */
  client?: string;
}

/** A request within the bound of its client's address, or why it is refused. */
type Admitted = { client: string; leave(): void } | { refusal: Plain };

interface AdmissionOptions {
  isTrustedProxy(host: string): boolean;
  /** Takes a place of an address; the result gives it back, undefined is a refusal. */
  takeAddress(host: string): (() => void) | undefined;
  log?: ((line: string, fields?: Record<string, unknown>) => void) | undefined;
}

/** Judges requests by their heads. A client behind a trusted proxy has a bound of its own. */
export function createAdmission(
  { isTrustedProxy, takeAddress, log }: AdmissionOptions,
): (request: IncomingMessage) => Admitted {
  const heedUntrusted = watchUntrustedProxies(log);
  return (request) => {
    // Names and values alternate.
    if (request.rawHeaders.length > 2 * netLimits.headFields) {
      return { refusal: refusals.manyFields };
    }
    if (!hasHost(request)) return { refusal: refusals.noHost };
    const peer = plainAddress(request.socket.remoteAddress ?? "");
    if (!isTrustedProxy(peer)) {
      heedUntrusted(peer, request.headers);
      return { client: peer, leave() {} };
    }
    try {
      const named = clientAddress(forwardedOf(request), isTrustedProxy);
      const leave = named === undefined ? () => {} : takeAddress(named);
      if (leave === undefined) return { refusal: refusals.tooMany };
      return { client: named ?? peer, leave };
    } catch (error) {
      if (!(error instanceof ContradictoryProxy)) throw error;
      return { refusal: { status: "400 Bad Request", text: error.message } };
    }
  };
}

/** HTTP/1.1 needs a Host, and no request may have two (RFC 9112 §3.2). */
function hasHost({ headers, httpVersion, rawHeaders }: IncomingMessage): boolean {
  if (headers.host === undefined) return httpVersion !== "1.1";
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    // Names and values alternate; the loop stays below the length.
    if (rawHeaders[i]!.length === 4 && rawHeaders[i]!.toLowerCase() === "host") hosts++;
  }
  return hosts === 1;
}

/** Client of a request, as proxies name it. */
function forwardedOf({ headers }: IncomingMessage): ForwardedHeaders {
  const forwarded = headers.forwarded;
  const xForwardedFor = headers["x-forwarded-for"];
  return { forwarded: joined(forwarded), xForwardedFor: joined(xForwardedFor) };
}

const joined = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(",") : value;
