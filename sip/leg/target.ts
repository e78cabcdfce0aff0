import {
  type IncomingRequestMessage,
  type IncomingResponseMessage,
  NameAddrHeader,
  type Session,
} from "../base/sip_js.ts";

/** Protected members of a dialog. */
interface OpenDialog {
  dialogState: { remoteTarget: unknown };
}

/**
 * Has requests of a dialog name the Contact of a message from now on: of an UPDATE of the peer, or of
 * its 2xx to one of ours or to a re-INVITE (RFC 3261 §12.2.1.2, RFC 3311 §5.2). The library minds that
 * of a re-INVITE alone.
 */
export function refreshTarget(
  session: Session,
  message: IncomingRequestMessage | IncomingResponseMessage,
): void {
  const contact = message.parseHeader("contact");
  if (!(contact instanceof NameAddrHeader)) return;
  // The library declares dialogState as protected.
  (session as unknown as OpenDialog).dialogState.remoteTarget = contact.uri;
}
