import {
  type IncomingInviteRequest,
  type IncomingResponseMessage,
  InviteUserAgentServer,
  type OutgoingInviteRequest,
  UserAgentClient,
  type UserAgentCore,
} from "sip.js/lib/core/index.js";
import type { Flow } from "../base/flow.ts";
import type { Refusal } from "../base/refusal.ts";
import { statelessTag } from "./stateless_tag.ts";

/**
 * Forgets the transaction of an INVITE, with all that it holds, before the library would: 32 s after
 * the final response, or never without one.
 */
export function forgetTransaction(request: IncomingInviteRequest | OutgoingInviteRequest): void {
  if (request instanceof InviteUserAgentServer) {
    const { core, transaction } = withInsides(request);
    core.userAgentServers.delete(transaction.id);
    request.dispose();
  } else if (request instanceof UserAgentClient) {
    const { core, transaction } = withInsides(request);
    core.userAgentClients.delete(`${transaction.id}INVITE`);
    request.dispose();
  }
}

/**
 * Refuses an unauthenticated INVITE and removes its transaction, as a stateless server
 * would (RFC 3261 §8.2.7): a transaction would wait 32 s for an ACK, at no cost to the sender. A
 * repeated INVITE is judged anew and gets the same tag; its ACK is dropped.
 */
export function refuseUnauthenticated(request: IncomingInviteRequest, refusal: Refusal): void {
  request.reject({ ...refusal, toTag: statelessTag(request.message) });
  forgetTransaction(request);
}

/** Has what an INVITE of ours still sends, its ACK above all, go by another flow. */
export function moveTransaction(request: OutgoingInviteRequest, { transport }: Flow): void {
  if (request instanceof UserAgentClient) {
    withInsides(request).transaction._transport = transport;
  }
}

/**
 * Has the ACK to a final response, which may have come by another connection, go by that one where the
 * INVITE's has closed (RFC 3261 §18.2.2).
 */
export function followResponse(
  { userAgentClients }: UserAgentCore,
  { viaBranch, method }: IncomingResponseMessage,
  flow: Flow,
): void {
  const client = method === "INVITE" ? userAgentClients.get(viaBranch + method) : undefined;
  if (client === undefined) return;
  const { transaction } = withInsides(client);
  if (transaction._transport.isClosed()) transaction._transport = flow.transport;
}

/** The core of a transaction's user, which the library declares as protected. */
function withInsides(agent: InviteUserAgentServer | UserAgentClient) {
  return agent as unknown as { // Protected members.
    core: { userAgentServers: Map<string, unknown>; userAgentClients: Map<string, unknown> };
    transaction: { id: string; _transport: Flow["transport"] };
  }; // As declared by the library's sources.
}
