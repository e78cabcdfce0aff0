import {
  type IncomingRequestMessage,
  NonInviteServerTransaction,
  type OutgoingRequestMessage,
  type Session,
  SessionDialog,
  SignalingState,
  UserAgentServer,
} from "../base/sip_js.ts";
import { awakeNow } from "../../core/base/steady_clock.ts";
import { sipLimits } from "../base/limits.ts";
import { Refused } from "../base/refused.ts";
import { peerLogin } from "../text/peer_proofs.ts";
import type { Dialog } from "../contracts/dialog.ts";
import { withFlow } from "../base/flow.ts";
import { sendOffer } from "./offer.ts";
import { refreshTarget } from "./target.ts";
import { refusalToPass } from "./not_acceptable.ts";
import { agreeAsClient, agreeAsServer, refusedBy } from "../contracts/session_timer.ts";
import type { Refusal } from "../base/refusal.ts";
import { guard } from "../base/log.ts";
import { sdpBody } from "../text/sdp_body.ts";
import type { Signalling } from "../contracts/signalling.ts";
import { contactHeader } from "../stack/user_agent_core.ts";

/** Protected members of a dialog that UPDATE needs. */
interface OpenDialog {
  dialogState: { remoteSequenceNumber: number | undefined };
  sequenceGuard(message: IncomingRequestMessage): boolean;
  createOutgoingRequestMessage(
    method: string,
    options: { extraHeaders: string[] },
  ): OutgoingRequestMessage;
}

// The library declares these members as protected.
const opened = (dialog: Dialog) => dialog.session as unknown as OpenDialog;

/** A request in a dialog of a method that the library does not send in one. */
const requestIn = (dialog: Dialog, method: "UPDATE" | "OPTIONS", extraHeaders: string[]) =>
  opened(dialog).createOutgoingRequestMessage(method, { extraHeaders });

/**
 * Asks the peer of a dialog whether it still has it: by OPTIONS (RFC 3261 §11, §12.2.2). Where nothing has
 * come after 10 s it sends a session refresh, which phones that ignore OPTIONS answer. Resolves with the
 * status of the response. 200 stands for any other message of the peer meanwhile, 408 for none.
 */
export async function probe(signalling: Signalling, dialog: Dialog): Promise<number> {
  const { timers, sessionBounds } = signalling;
  const askedAt = awakeNow();
  const options = sendOptions(signalling, dialog);
  // Another companion asks its phone before it answers OPTIONS; it would answer a refresh by itself.
  if (dialog.flow.logins.has(peerLogin)) return await options;
  const status = await Promise.race([options, timers.pause(sipLimits.probeAnswerMs)]);
  if (typeof status === "number" && status !== 408) return status;
  if (dialog.heardAt > askedAt) return 200;
  const refreshed = await refreshSession(signalling, dialog, sessionBounds.expiresS, true)
    .then(() => 200, (error) => error instanceof Refused ? error.status : 500);
  return refreshed === 408 && dialog.heardAt > askedAt ? 200 : refreshed;
}

function sendOptions(
  { core, domain, dialogs, log }: Signalling,
  dialog: Dialog,
): Promise<number> {
  if (!dialogs.has(dialog.session.id)) return Promise.resolve(481);
  const { promise, resolve } = Promise.withResolvers<number>();
  const final = ({ message }: { message: { statusCode: number | undefined } }) =>
    resolve(message.statusCode ?? 500);
  guard((line, fields) => (log(line, fields), resolve(500)), () =>
    withFlow(dialog.flow, () => {
      const extraHeaders = [contactHeader(domain), "Accept: application/sdp"];
      core.request(requestIn(dialog, "OPTIONS", extraHeaders), {
        onAccept: final,
        onReject: final,
        onRedirect: final,
      });
    }))();
  return promise;
}

/** Dialogs with an UPDATE of the peer that has no final response yet. */
const updating = new WeakSet<Session>();

/** True while an UPDATE of the peer waits for its final response. */
export const isUpdating = (session: Session): boolean => updating.has(session);

/**
 * Answers UPDATE (RFC 3311 §5.2), which the library does not know, like a re-INVITE. The 2xx of the
 * INVITE may come meanwhile.
 */
export function answerUpdate(signalling: Signalling, message: IncomingRequestMessage): void {
  const { core, dialogs, log } = signalling;
  const dialog = dialogs.get(message.callId + message.toTag + message.fromTag);
  if (dialog === undefined || !(dialog.session instanceof SessionDialog)) {
    core.replyStateless(message, { statusCode: 481 });
    return;
  }
  if (core.userAgentServers.has(message.viaBranch)) return;
  const { session } = dialog;
  if (!opened(dialog).sequenceGuard(message)) return;
  opened(dialog).dialogState.remoteSequenceNumber = message.cseq;
  const server = new UserAgentServer(NonInviteServerTransaction, core, message);
  const isOffer = message.body !== "";
  const crossing = updating.has(session) ? tryAgain() : isOffer ? crossed(session) : undefined;
  if (crossing !== undefined) server.reject(crossing);
  else if (!isOffer) accept(signalling, dialog, { server });
  else {
    session.signalingStateTransition(message);
    updating.add(session);
    dialog.events.onOffer(message.body)
      .finally(() => updating.delete(session))
      .then(({ sdp }) => {
        // The SDP of our 2xx to the INVITE stands for an answer to the library.
        if (session.signalingState === SignalingState.HaveRemoteOffer) {
          session.signalingStateTransition(sdpBody(sdp));
        }
        accept(signalling, dialog, { server, sdp });
      })
      .catch(guard(log, (error: unknown) => {
        session.signalingStateRollback();
        withFlow(dialog.flow, () => server.reject(refusalToPass(signalling.domain, error)));
      }));
  }
}

/** Refusal of an offer that may not come now: ours is not answered yet, or the peer's last one (§5.2). */
function crossed({ signalingState }: SessionDialog): Refusal | undefined {
  if (signalingState === SignalingState.HaveLocalOffer) return { statusCode: 491 };
  return signalingState === SignalingState.HaveRemoteOffer ? tryAgain() : undefined;
}

/** 500 with a random Retry-After of 0 to 10 s, as the RFC wants it. */
const tryAgain = (): Refusal => ({
  statusCode: 500,
  extraHeaders: [`Retry-After: ${Math.floor(Math.random() * 11)}`],
});

function accept(
  { domain, sessionBounds, dialogs }: Signalling,
  asked: Dialog,
  { server, sdp }: { server: UserAgentServer; sdp?: string },
): void {
  // The call may have been answered since.
  const dialog = dialogs.get(asked.session.id) ?? asked;
  const { agreement, headers } = agreeAsServer(server.message, sessionBounds);
  if (sdp !== undefined) dialog.localSdp = sdp;
  refreshTarget(dialog.session, server.message);
  withFlow(dialog.flow, () =>
    server.accept({
      statusCode: 200,
      extraHeaders: [contactHeader(domain), ...headers],
      ...sdp === undefined ? {} : { body: sdpBody(sdp) },
    }));
  if (dialogs.has(dialog.session.id)) dialog.timer.restart(agreement);
}

/**
 * Refreshes the session (RFC 4028 §10): by UPDATE where the peer supports it, else by a re-INVITE with
 * the SDP that the companion sent last. Rejects with `Refused`.
 */
export async function refreshSession(
  signalling: Signalling,
  dialog: Dialog,
  intervalS: number,
  isProbe = false,
): Promise<void> {
  const headers = [`Session-Expires: ${intervalS};refresher=uac`];
  if (intervalS > signalling.sessionBounds.expiresS) headers.push(`Min-SE: ${intervalS}`);
  if (dialog.knowsUpdate) return await sendUpdate(signalling, dialog, headers);
  await sendOffer(signalling, dialog, { sdp: dialog.localSdp, headers, isProbe });
}

/** An UPDATE without SDP. */
async function sendUpdate(
  { core, domain, sessionBounds }: Signalling,
  dialog: Dialog,
  headers: string[],
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const refused = ({ message }: { message: Parameters<typeof refusedBy>[1] }) =>
    reject(refusedBy("refresh the session", message));
  withFlow(dialog.flow, () => {
    const extraHeaders = [contactHeader(domain), ...headers];
    core.request(requestIn(dialog, "UPDATE", extraHeaders), {
      onAccept({ message }) {
        refreshTarget(dialog.session, message);
        dialog.timer.restart(agreeAsClient(message, sessionBounds));
        resolve();
      },
      onReject: refused,
      onRedirect: refused,
    });
  });
  await promise;
}
