import { type IncomingInviteRequest, InviteUserAgentServer } from "sip.js/lib/core/index.js";

/** Protected members of an INVITE that sip.js serves. */
interface OpenServer {
  earlyDialog: { dispose(): void } | undefined;
  toTag: string;
}

/**
 * Gives later responses to an INVITE a tag, and so a dialog, of their own: the response comes from
 * another one than those that rang (RFC 3261 §12.1.1).
 */
export function beginAnotherDialog(request: IncomingInviteRequest): void {
  if (!(request instanceof InviteUserAgentServer)) return;
  const server = request as unknown as OpenServer;
  server.earlyDialog?.dispose();
  server.earlyDialog = undefined;
  server.toTag = crypto.randomUUID();
}
