import type { IncomingRequestMessage, UserAgentCore } from "sip.js/lib/core/index.js";
import type { Flow } from "../base/flow.ts";
import { reply } from "./reply.ts";
import type { ServerTransactions } from "./server_transactions.ts";

/**
 * Refuses a copy of an INVITE or MESSAGE that is being served and came by another way, as where a proxy
 * forks to two of our addresses: 482 (RFC 3261 §8.2.2.2). A request with the same branch is a repetition,
 * whose sender has the response to the first. Once the first was refused, a copy is served: the proxy
 * may then try another address of the companion. Returns true for a copy or repetition.
 */
export function refuseCopy(
  core: UserAgentCore,
  message: IncomingRequestMessage,
  flow: Flow,
): boolean {
  const serving = (core.userAgentServers as ServerTransactions).serving(message);
  if (serving === undefined) return false;
  const key = transactionKey(message, flow);
  if (serving === key) return false;
  if (afterFlow(serving) !== afterFlow(key)) reply(flow, message, { statusCode: 482 });
  return true;
}

/**
 * The INVITE that a CANCEL or ACK by another connection is for, with the key of its transaction: the
 * branch and sent-by of both are the same (RFC 3261 §9.2, §17.2.3). Undefined where there is none, as for
 * the ACK to a 2xx.
 */
export function invitedElsewhere(
  core: UserAgentCore,
  message: IncomingRequestMessage,
  flow: Flow,
): { key: string; message: IncomingRequestMessage } | undefined {
  const key = (core.userAgentServers as ServerTransactions).ofInvite(message);
  const server = key === undefined ? undefined : core.userAgentServers.get(key);
  if (key === undefined || server === undefined) return undefined;
  if (afterFlow(key) !== afterFlow(transactionKey(message, flow))) return undefined;
  return { key, message: server.message };
}

const afterFlow = (key: string): string => key.slice(key.indexOf("|"));

/**
 * The key of a transaction (RFC 3261 §17.2.3): branch and sent-by, or for clients of RFC 2543 the
 * headers that stand for them.
 */
export function transactionKey(message: IncomingRequestMessage, flow: Flow): string {
  const { viaBranch, via, callId, cseq, fromTag } = message;
  // The bare cookie makes nothing unique (RFC 4475 §3.2.1).
  const modern = viaBranch.startsWith("z9hG4bK") && viaBranch.length > "z9hG4bK".length;
  const sentBy = `${via.host}:${via.port ?? ""}`;
  return [flow.id, sentBy, ...modern ? [viaBranch] : [viaBranch, callId, cseq, fromTag]].join("|");
}
