import { type IncomingInviteRequest, InviteUserAgentServer } from "sip.js/lib/core/index.js";

/** What the library keeps to itself of an INVITE that it serves. */
interface OpenServer {
  earlyDialog: { dispose(): void } | undefined;
  toTag: string;
}

/**
 * What an INVITE is answered with from now on has a tag, and so a dialog, of its own: it comes from
 * another one than those that rang (RFC 3261 §12.1.1).
 */
export function beginAnotherDialog(request: IncomingInviteRequest): void {
  if (!(request instanceof InviteUserAgentServer)) return;
  const server = request as unknown as OpenServer;
  server.earlyDialog?.dispose();
  server.earlyDialog = undefined;
  server.toTag = crypto.randomUUID();
}
