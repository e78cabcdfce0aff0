import { identifiedFetch } from "../net/identified_fetch.ts";
import { Fault } from "../base/faults.ts";
import { currentTraceparent, traced } from "../base/tracing.ts";
import { limits } from "../base/limits.ts";
import { isAddress } from "../net/public_address.ts";
import {
  type Answer,
  answerOf,
  dropBody,
  headerOf,
  type OutgoingRequest,
  type RedirectSigner,
  requestOf,
  responseOf,
} from "../base/outgoing.ts";
import type { Names } from "../net/names.ts";
import { agentRequests, readCodings } from "./agent_request.ts";

export interface OutboundOptions {
  /** Which addresses may be connected to; absent, all may. */
  mayReach?: (address: string) => boolean;
  /** A URL whose origin is always reachable: the service's own. */
  ownOrigin: string;
  /** Where requests to that origin go instead: the same service as this machine reaches it. */
  ownWithin?: string;
  /** Those of the process unless given. */
  names?: Names;
}

/** Sends a request, and follows redirects; `signer` signs what a redirect leads to. */
export type Outbound = (request: OutgoingRequest, signer?: RedirectSigner) => Promise<Answer>;

/**
 * Requests to addresses that customers gave. The address that a name resolves to is checked at the
 * moment of connecting, also after each redirect, so that no name can point inside the network; at
 * most `limits.redirects` are followed, as RFC 9110 §15.4 says. Throws an Error that says why.
 */
export function outboundRequests(options: OutboundOptions): Outbound {
  const { mayReach, ownOrigin, ownWithin, names } = options;
  const own = URL.parse(ownOrigin)?.origin;
  const refusalOf = (address: string, host: string) =>
    mayReach === undefined || mayReach(address) ? undefined : refusal(host);
  const send = agentRequests({ by: names, refusalOf });
  const sendOut = (request: OutgoingRequest) => {
    const host = request.url.hostname.replace(/^\[|\]$/g, "");
    if (mayReach !== undefined && isAddress(host) && !mayReach(host)) throw refusal(host);
    const headers = { ...request.headers, "accept-encoding": readCodings };
    return tracedRequest({ ...request, headers }, send);
  };
  const fetched = async (request: OutgoingRequest): Promise<Answer> => {
    const { url } = request;
    const isWithin = url.origin === own && ownWithin !== undefined;
    const target = isWithin ? ownWithin + url.pathname + url.search : url;
    const asked = requestOf(request, target);
    const response = await identifiedFetch(asked, { redirect: "manual" }, request.tenant);
    return { ...answerOf(response), url: url.href };
  };
  return async (request, signer = (redirected) => redirected) => {
    let current = request;
    for (let followed = 0;; followed++) {
      const { url } = current;
      // What needs no guard and has TLS trusts Deno's authorities.
      const isFetched = url.origin === own || mayReach === undefined && url.protocol === "https:";
      const answer = await (isFetched ? fetched(current) : sendOut(current));
      const { status } = answer;
      const location = redirects.includes(status) ? headerOf(answer, "location") : null;
      if (location === null) return answer;
      await dropBody(answer);
      if (followed === limits.redirects) {
        throw new Error(`Cannot follow more than ${limits.redirects} redirects`);
      }
      const next = redirected(current, status, new URL(utf8Of(location), url));
      current = await signer(next, answer);
    }
  };
}

/** A header as UTF-8 where it is that, as browsers read a Location; headers come as Latin-1. */
function utf8Of(header: string): string {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  if (/[^\0-\xff]/.test(header)) return header; // It is decoded already.
  try {
    return decoder.decode(Uint8Array.from(header, (letter) => letter.charCodeAt(0)));
  } catch {
    return header;
  }
}

const redirects = [301, 302, 303, 307, 308];

/** The same for what works with `fetch`; of a request, its body is read as text. */
export function outboundFetch(options: OutboundOptions): (request: Request) => Promise<Response> {
  const send = outboundRequests(options);
  return async (request) => {
    const { url, method, headers, signal } = request;
    const body = request.body === null ? "" : await request.text();
    const fields = Object.fromEntries(headers);
    return responseOf(await send({ url: new URL(url), method, headers: fields, body, signal }));
  };
}

/** A request as a span, and with the `traceparent` that `fetch` would send by itself. */
const tracedRequest = (
  request: OutgoingRequest,
  send: (request: OutgoingRequest) => Promise<Answer>,
) => {
  const { method, url, headers } = request;
  const attributes = { "http.request.method": method, "server.address": url.hostname };
  return traced(method, { kind: "client", attributes }, async (span) => {
    const traceparent = currentTraceparent();
    const answer = await send(
      traceparent === undefined ? request : { ...request, headers: { ...headers, traceparent } },
    );
    span.setAttribute("http.response.status_code", answer.status);
    return answer;
  });
};

function redirected(request: OutgoingRequest, status: number, url: URL): OutgoingRequest {
  if (!/^https?:$/.test(url.protocol)) {
    throw new Error(`Cannot follow a redirect to ${url.protocol}`);
  }
  const keepsMethod = status === 307 || status === 308 || request.method === "GET";
  const { cookie: _, ...headers } = request.headers;
  if (url.origin !== request.url.origin) delete headers.authorization;
  if (keepsMethod) return { ...request, url, headers };
  delete headers["content-type"];
  return { ...request, url, method: "GET", headers, body: "" };
}

const refusal = (host: string) =>
  new Fault("badUrl", `${host} is at a private address, and ALLOW_PRIVATE_URLS is not set`);
