import { identifiedFetch } from "../base/identified_fetch.ts";
import { lookup as resolve, type LookupAddress } from "node:dns";
import { Fault } from "../base/faults.ts";
import { currentTraceparent, traced } from "../base/tracing.ts";
import { limits } from "../base/limits.ts";
import { isAddress } from "../net/public_address.ts";
import { agentRequests, type Lookup, type Outgoing, outgoing } from "./agent_request.ts";

export interface OutboundOptions {
  /** Which addresses may be connected to; absent, all may. */
  mayReach?: (address: string) => boolean;
  /** A URL whose origin is always reachable: the service's own. */
  ownOrigin: string;
  /** Where requests to that origin go instead: the same service as this machine reaches it. */
  ownWithin?: string;
}

/**
 * Requests to addresses that customers gave. The address that a name resolves to is checked at the
 * moment of connecting, also after each redirect, so that no name can point inside the network; at
 * most `limits.redirects` are followed, as RFC 9110 §15.4 says. What a redirect leads to is signed by
 * `signer`, where there is one. Throws an Error that says why.
 */
export function outboundFetch(
  options: OutboundOptions,
): (request: Request, signer?: (redirected: Request) => Request) => Promise<Response> {
  const { mayReach, ownOrigin, ownWithin } = options;
  const own = URL.parse(ownOrigin)?.origin;
  const send = agentRequests(mayReach && guardedLookup(mayReach) as Lookup);
  const sendOut = (request: Outgoing) => {
    const host = request.url.hostname.replace(/^\[|\]$/g, "");
    if (mayReach !== undefined && isAddress(host) && !mayReach(host)) throw refusal(host);
    return tracedRequest(request, send);
  };
  return async (request, signer = (redirected) => redirected) => {
    let current = await outgoing(request);
    for (let followed = 0;; followed++) {
      const { url } = current;
      // What needs no guard and has TLS trusts Deno's authorities.
      const isFetched = url.origin === own || mayReach === undefined && url.protocol === "https:";
      const within = url.origin === own ? ownWithin : undefined;
      const response = isFetched
        ? await identifiedFetch(requestOf(current, within), { redirect: "manual" })
        : await sendOut(current);
      const location = response.headers.get("location");
      if (![301, 302, 303, 307, 308].includes(response.status) || location === null) {
        return withUrl(response, url.href);
      }
      await response.body?.cancel();
      if (followed === limits.redirects) {
        throw new Error(`Cannot follow more than ${limits.redirects} redirects`);
      }
      const next = requestOf(redirected(current, response.status, new URL(location, url)));
      current = await outgoing(signer(next));
    }
  };
}

function requestOf({ url, method, headers, body, signal }: Outgoing, within?: string): Request {
  const target = within === undefined ? url : within + url.pathname + url.search;
  const isEmpty = method === "GET" || method === "HEAD";
  return new Request(target, { method, headers, signal, ...!isEmpty && { body } });
}

/** A request as a span, and with the `traceparent` that `fetch` would send by itself. */
const tracedRequest = (request: Outgoing, send: (request: Outgoing) => Promise<Response>) => {
  const { method, url, headers } = request;
  const attributes = { "http.request.method": method, "server.address": url.hostname };
  return traced(method, { kind: "client", attributes }, async (span) => {
    const traceparent = currentTraceparent();
    if (traceparent !== undefined) headers.set("traceparent", traceparent);
    const response = await send(request);
    span.setAttribute("http.response.status_code", response.status);
    return response;
  });
};

function redirected(request: Outgoing, status: number, target: URL): Outgoing {
  if (!/^https?:$/.test(target.protocol)) {
    throw new Error(`Cannot follow a redirect to ${target.protocol}`);
  }
  const headers = new Headers(request.headers);
  if (target.origin !== request.url.origin) headers.delete("authorization");
  const keepsMethod = status === 307 || status === 308 || request.method === "GET";
  if (keepsMethod) return { ...request, url: target, headers };
  headers.delete("content-type");
  return { ...request, url: target, method: "GET", headers, body: new Uint8Array() };
}

const withUrl = (response: Response, url: string): Response =>
  Object.defineProperty(response, "url", { value: url });

type LookupCallback = (
  error: Error | null,
  found?: LookupAddress[] | string,
  family?: number,
) => void;

/** Resolves a name as the system does, and refuses one with an address that may not be reached. */
const guardedLookup =
  (mayReach: (address: string) => boolean) =>
  (host: string, options: { all?: boolean }, done: LookupCallback): void =>
    resolve(host, { all: true }, (error, found) => {
      if (error !== null) {
        return done(new Error(`the name ${host} cannot be resolved by DNS`, { cause: error }));
      }
      if (!found.every(({ address }) => mayReach(address))) return done(refusal(host));
      if (options.all === true) done(null, found);
      else {
        const [first] = found;
        if (first === undefined) return done(new Error(`the name ${host} has no address`));
        done(null, first.address, first.family);
      }
    });

const refusal = (host: string) =>
  new Fault("badUrl", `${host} is at a private address, and ALLOW_PRIVATE_URLS is not set`);
