import { identifiedFetch, userAgent } from "../base/identified_fetch.ts";
import { lookup as resolve, type LookupAddress } from "node:dns";
import { type ClientRequest, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { Readable } from "node:stream";
import { Fault } from "../base/faults.ts";
import { currentTraceparent, traced } from "../base/tracing.ts";
import { limits } from "../base/limits.ts";
import { isAddress } from "../net/public_address.ts";

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
  const isOwn = (url: URL) => url.origin === URL.parse(ownOrigin)?.origin;
  const sent = (request: Request, url: URL) =>
    ownWithin === undefined || !isOwn(url)
      ? request.clone()
      : new Request(ownWithin + url.pathname + url.search, request.clone());
  return async (request, signer = (redirected) => redirected) => {
    let current = request;
    for (let followed = 0;; followed++) {
      const url = new URL(current.url);
      const response = mayReach === undefined || isOwn(url)
        ? await identifiedFetch(sent(current, url), { redirect: "manual" })
        : await tracedRequest(current, url, mayReach);
      const location = response.headers.get("location");
      if (![301, 302, 303, 307, 308].includes(response.status) || location === null) {
        return withUrl(response, current.url);
      }
      await response.body?.cancel();
      if (followed === limits.redirects) {
        throw new Error(`Cannot follow more than ${limits.redirects} redirects`);
      }
      current = signer(redirected(current, response.status, new URL(location, url)));
    }
  };
}

/** A request as a span, and with the `traceparent` that `fetch` would send by itself. */
const tracedRequest = (request: Request, url: URL, mayReach: (address: string) => boolean) => {
  const attributes = { "http.request.method": request.method, "server.address": url.hostname };
  return traced(request.method, { kind: "client", attributes }, async (span) => {
    const sent = request.clone();
    const traceparent = currentTraceparent();
    if (traceparent !== undefined) sent.headers.set("traceparent", traceparent);
    const response = await guarded(sent, mayReach);
    span.setAttribute("http.response.status_code", response.status);
    return response;
  });
};

function redirected(request: Request, status: number, target: URL): Request {
  if (!/^https?:$/.test(target.protocol)) {
    throw new Error(`Cannot follow a redirect to ${target.protocol}`);
  }
  const headers = new Headers(request.headers);
  if (target.origin !== new URL(request.url).origin) headers.delete("authorization");
  const keepsMethod = status === 307 || status === 308 || request.method === "GET";
  if (keepsMethod) return new Request(target, new Request(request, { headers }));
  headers.delete("content-type");
  return new Request(target, { method: "GET", headers, signal: request.signal });
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

/** One request over a connection whose address was checked. */
async function guarded(
  request: Request,
  mayReach: (address: string) => boolean,
): Promise<Response> {
  const url = new URL(request.url);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isAddress(host) && !mayReach(host)) throw refusal(host);
  const body = new Uint8Array(await request.arrayBuffer());
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  const headers = {
    "user-agent": userAgent,
    ...Object.fromEntries(request.headers),
    "content-length": body.length,
  };
  return await new Promise((resolveResponse, reject) => {
    const { method, signal } = request;
    const lookup = guardedLookup(mayReach) as never;
    const sent = send(url, { method, headers, signal, lookup }, (answer) => {
      const status = answer.statusCode ?? 0;
      if (status < 200 || status > 599) {
        answer.destroy();
        return reject(new Error(`Cannot understand the answer: its status is ${status}`));
      }
      const isEmpty = [204, 205, 304].includes(status);
      // Node's types and those of the web differ for the same stream.
      const stream = isEmpty ? null : Readable.toWeb(answer) as unknown as ReadableStream;
      if (isEmpty) answer.resume();
      resolveResponse(new Response(stream, { status, headers: headersOf(answer.rawHeaders) }));
    });
    sent.on("error", reject);
    boundConnecting(sent, url.protocol === "https:" ? "secureConnect" : "connect");
    sent.end(body);
  });
}

/** Ends a request whose connection is not there in time; the whole of it has the signal's time. */
function boundConnecting(sent: ClientRequest, connected: "connect" | "secureConnect"): void {
  const seconds = limits.connectTimeoutMs / 1000;
  const late = () => sent.destroy(new Error(`Cannot connect within ${seconds} s`));
  const timer = setTimeout(late, limits.connectTimeoutMs);
  const stop = () => clearTimeout(timer);
  sent.on("socket", (socket) => socket.connecting ? socket.once(connected, stop) : stop());
  sent.on("response", stop);
  sent.on("close", stop);
}

function headersOf(raw: string[]): Headers {
  const headers = new Headers();
  // Names and values alternate; the loop stays below the length.
  for (let i = 0; i + 1 < raw.length; i += 2) headers.append(raw[i]!, raw[i + 1]!);
  return headers;
}
