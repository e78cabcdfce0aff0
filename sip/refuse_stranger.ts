import { type IncomingInviteRequest, InviteUserAgentServer } from "sip.js/lib/core/index.js";
import type { Refusal } from "./refusal.ts";

/**
 * Refuses an INVITE of somebody who has not proved anything, and forgets it, as a stateless server
 * would (RFC 3261 §8.2.7): a transaction would wait 32 s for an ACK, at no cost to the sender. A
 * repeated INVITE is judged anew, and its ACK is for nobody.
 */
export function refuseStranger(request: IncomingInviteRequest, refusal: Refusal): void {
  request.reject(refusal);
  if (!(request instanceof InviteUserAgentServer)) return;
  const server = withInsides(request);
  server.core.userAgentServers.delete(server.transaction.id);
  server.dispose();
}

/** The core of a server, which the library declares as protected. */
function withInsides(server: InviteUserAgentServer) {
  return server as unknown as {
    core: { userAgentServers: Map<string, unknown> };
    transaction: { id: string };
    dispose(): void;
  };
}
