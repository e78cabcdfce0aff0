import type { OfferAnswer } from "../contracts/dialog_events.ts";
import {
  type IncomingInviteRequest,
  type IncomingRequestMessage,
  type OutgoingInviteRequest,
  ReInviteUserAgentServer,
} from "../base/sip_js.ts";
import type { Dialog } from "../contracts/dialog.ts";
import { type Flow, withFlow } from "../base/flow.ts";
import { forgetTransaction } from "../stack/forget_transaction.ts";
import type { Leg } from "../contracts/leg.ts";
import { sipLimits } from "../base/limits.ts";
import type { MediaLeg } from "../media/mod.ts";
import { endsDialog, Refused } from "../base/refused.ts";
import { refusalToPass } from "./not_acceptable.ts";
import { agreeAsClient, agreeAsServer, refusedBy } from "../contracts/session_timer.ts";
import { refreshTarget } from "./target.ts";
import { guard } from "../base/log.ts";
import { sdpBody } from "../text/sdp_body.ts";
import type { Signalling } from "../contracts/signalling.ts";
import { allowHeader, contactHeader } from "../stack/user_agent_core.ts";

/**
 * Answers an offer in the dialog: from the other side of the call, else from our own media; without an
 * offer, makes one (RFC 3261 §14.2). Throws `Refused` with what the other side said, or any error when
 * our media cannot follow.
 */
export async function answerOffer(
  sdp: string | undefined,
  by: {
    counterpart: Leg | undefined;
    media: MediaLeg | undefined;
    /** Hears the peer's SDP, offer or answer, when our media have followed it. */
    onFollowed(sdp: string): void;
    /** The offerer has given up. */
    signal?: AbortSignal | undefined;
  },
): Promise<OfferAnswer> {
  if (by.counterpart !== undefined) {
    const { dialog } = by.counterpart;
    if (dialog === undefined) throw new Refused("pass an offer on", 491);
    return await dialog.reinvite(sdp, by.signal);
  }
  const { media } = by;
  if (media === undefined) throw new Refused("answer an offer without media", 488);
  if (sdp !== undefined) {
    const answer = await media.reanswer(sdp);
    by.onFollowed(sdp);
    return { sdp: answer };
  }
  const settle = async (answer: string) => {
    if (answer === "") return;
    await media.reaccept(answer);
    by.onFollowed(answer);
  };
  return { sdp: await media.reoffer(), settle };
}

/**
 * A re-INVITE (RFC 3261 §14.2): 200 with our SDP, or a refusal and all stays as it was. A CANCEL
 * goes to the other side too, whose final response is ours.
 */
export async function answerReinvite(
  { domain, log, sessionBounds }: Signalling,
  dialog: Dialog,
  request: IncomingInviteRequest,
): Promise<void> {
  const cancelled = new AbortController();
  request.delegate = { onCancel: () => cancelled.abort() };
  request.trying(); // After 200 ms: the other side of the call may take long to answer (§17.2.1).
  try {
    const { body } = request.message;
    const { sdp, settle } = await dialog.events.onOffer(body || undefined, cancelled.signal);
    const { agreement, headers } = agreeAsServer(request.message, sessionBounds);
    dialog.settle = settle;
    dialog.localSdp = sdp;
    withFlow(dialog.flow, () => {
      const extraHeaders = [contactHeader(domain), allowHeader, ...headers];
      request.accept({ statusCode: 200, body: sdpBody(sdp), extraHeaders });
    });
    dialog.timer.restart(agreement);
  } catch (error) {
    guard(
      log,
      () => withFlow(dialog.flow, () => request.reject(refusalToPass(domain, error))),
    )();
  }
}

/** Aborts a re-INVITE by its CANCEL (§9.2), which the library answers without an event. */
export function cancelOffer({ core }: Signalling, cancel: IncomingRequestMessage): void {
  const server = core.userAgentServers.get(cancel.viaBranch);
  if (server instanceof ReInviteUserAgentServer) server.receiveCancel(cancel);
}

/**
 * Sends a re-INVITE (§14.1), without SDP to be offered some; rejects with `Refused`, 491 also where
 * another one is under way. A peer that does not know the dialog any more is lost, and so is one that
 * answers neither the offer nor its CANCEL; `signal` cancels.
 */
export async function sendOffer(
  signalling: Signalling,
  dialog: Dialog,
  { sdp, headers = [], signal, isProbe = false }: {
    sdp: string | undefined;
    headers?: string[];
    signal?: AbortSignal | undefined;
    /** True where the caller decides about a peer that is gone. */
    isProbe?: boolean;
  },
): Promise<OfferAnswer> {
  const { domain, dialogs, sessionBounds } = signalling;
  if (!dialogs.has(dialog.session.id)) throw new Refused("change a call that is over", 481);
  const { promise, resolve, reject } = Promise.withResolvers<OfferAnswer>();
  const refused = ({ message }: { message: Parameters<typeof refusedBy>[1] }) =>
    reject(refusedBy("change the call", message));
  let stopWatching = () => {};
  try {
    withFlow(dialog.flow, () => {
      const request = dialog.session.invite({
        onAccept({ message, ack }) {
          refreshTarget(dialog.session, message);
          dialog.timer.restart(agreeAsClient(message, sessionBounds));
          if (sdp !== undefined) {
            dialog.localSdp = sdp;
            ack();
            return resolve({ sdp: message.body });
          }
          resolve({ sdp: message.body, settle: (answer) => settle(dialog, ack, answer) });
        },
        onReject: refused,
        onRedirect: refused,
      }, {
        ...sdp !== undefined && { body: sdpBody(sdp) },
        extraHeaders: [contactHeader(domain), allowHeader, ...headers],
      });
      const silent = () => reject(new Refused("change the call", 408));
      stopWatching = watchOpen(signalling, request, { flow: dialog.flow, signal, silent });
    });
  } catch {
    reject(new Refused("change the call while it changes", 491));
  }
  try {
    return await promise;
  } catch (error) {
    if (endsDialog(error) && !isProbe) dialog.events.onLost("connection-lost");
    throw error;
  } finally {
    stopWatching();
  }
}

/** Cancels a re-INVITE that is given up, or left open for too long; the result ends the watch. */
function watchOpen(
  { timers, log }: Signalling,
  request: OutgoingInviteRequest,
  { flow, signal, silent }: { flow: Flow; signal: AbortSignal | undefined; silent(): void },
): () => void {
  const cancel = () => {
    end();
    guard(log, () => withFlow(flow, () => request.cancel()))();
    end = timers.after(sipLimits.cancelGraceMs, () => {
      forgetTransaction(request);
      silent();
    });
  };
  const stopWaiting = timers.after(sipLimits.offerAnswerMs, cancel);
  let end = () => {
    stopWaiting();
    signal?.removeEventListener("abort", cancel);
  };
  if (signal?.aborted) cancel();
  else signal?.addEventListener("abort", cancel, { once: true });
  return () => end();
}

type Ack = (options?: { body: ReturnType<typeof sdpBody> }) => unknown;

function settle(dialog: Dialog, ack: Ack, answer: string): void {
  dialog.localSdp = answer;
  withFlow(dialog.flow, () => answer === "" ? ack() : ack({ body: sdpBody(answer) }));
}
