import type { IncomingMessage } from "node:http";
import { clientAddress, type ForwardedHeaders } from "./client_address.ts";
import { plainAddress } from "./networks.ts";

/** The address of a request's client. Its head has been judged: proxies do not contradict. */
export function clientOf(
  request: IncomingMessage,
  isTrustedProxy: (host: string) => boolean,
): string {
  const peer = plainAddress(request.socket.remoteAddress ?? "");
  if (!isTrustedProxy(peer)) return peer;
  return clientAddress(forwardedOf(request), isTrustedProxy) ?? peer;
}

/** What proxies say of the client of a request. */
export function forwardedOf({ headers }: IncomingMessage): ForwardedHeaders {
  const forwarded = headers.forwarded;
  const xForwardedFor = headers["x-forwarded-for"];
  return { forwarded: joined(forwarded), xForwardedFor: joined(xForwardedFor) };
}

const joined = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(",") : value;
