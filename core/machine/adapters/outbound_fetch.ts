import { Fault } from "../../base/faults.ts";
import { isAddress } from "../../base/public_address.ts";
import {
  type Answer,
  type OutgoingRequest,
  type RedirectSigner,
  responseOf,
} from "../../base/outgoing.ts";
import type { Names } from "../net/names.ts";
import { agentRequests, readCodings } from "../net/agent_request.ts";
import { followRedirects, tracedRequest } from "../net/follow_redirects.ts";

export interface OutboundOptions {
  /** Accepts the addresses that may be connected to; absent, all may. */
  mayReach?: (address: string) => boolean;
  /** A URL whose origin is always reachable: the service's own. */
  ownOrigin: string;
  /** The origin that requests to `ownOrigin` go to instead: the same service, as this machine reaches it. */
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
  const sendOwn = agentRequests({ by: names });
  const sendOut = (request: OutgoingRequest) => {
    const host = request.url.hostname.replace(/^\[|\]$/g, "");
    if (mayReach !== undefined && isAddress(host) && !mayReach(host)) throw refusal(host);
    const headers = { ...request.headers, "accept-encoding": readCodings };
    return tracedRequest({ ...request, headers }, send);
  };
  const sendWithin = async (request: OutgoingRequest): Promise<Answer> => {
    const { url } = request;
    const target = ownWithin === undefined ? url : new URL(ownWithin + url.pathname + url.search);
    return { ...await tracedRequest({ ...request, url: target }, sendOwn), url: url.href };
  };
  return (request, signer) =>
    followRedirects(
      request,
      async (current) => await (current.url.origin === own ? sendWithin : sendOut)(current),
      signer,
    );
}

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

const refusal = (host: string) =>
  new Fault("badUrl", `${host} is at a private address, and ALLOW_PRIVATE_URLS is not set`);
