import {
  type IncomingRequestMessage,
  NonInviteServerTransaction,
  SessionDialog,
  UserAgentServer,
} from "sip.js/lib/core/index.js";
import { withFlow } from "./flow.ts";
import { guard, sdpBody, type Signalling } from "./signalling.ts";
import { contactHeader } from "./user_agent_core.ts";

/** What the library keeps to itself of a dialog and UPDATE needs. */
interface SequencedDialog {
  dialogState: { remoteSequenceNumber: number | undefined };
  sequenceGuard(message: IncomingRequestMessage): boolean;
}

/** Answers UPDATE (RFC 3311 §5.2), which the library does not know, like a re-INVITE. */
export function answerUpdate(signalling: Signalling, message: IncomingRequestMessage): void {
  const { core, dialogs, domain, log } = signalling;
  const dialog = dialogs.get(message.callId + message.toTag + message.fromTag);
  if (dialog === undefined || !(dialog.session instanceof SessionDialog)) {
    core.replyStateless(message, { statusCode: 481 });
    return;
  }
  if (core.userAgentServers.has(message.viaBranch)) return;
  const sequenced = dialog.session as unknown as SequencedDialog;
  if (!sequenced.sequenceGuard(message)) return;
  sequenced.dialogState.remoteSequenceNumber = message.cseq;
  const server = new UserAgentServer(NonInviteServerTransaction, core, message);
  const accept = (sdp?: string) =>
    withFlow(dialog.flow, () =>
      server.accept({
        statusCode: 200,
        extraHeaders: [contactHeader(domain)],
        ...sdp === undefined ? {} : { body: sdpBody(sdp) },
      }));
  if (message.body === "") accept();
  else {
    dialog.events.onOffer(message.body)
      .then(accept)
      .catch(guard(log, () => server.reject({ statusCode: 488 })));
  }
}
