import type { IncomingInviteRequest } from "sip.js/lib/core/index.js";
import type { Dialog } from "./dialog.ts";
import { withFlow } from "../flow.ts";
import type { Leg } from "../leg/leg.ts";
import type { MediaLeg } from "../media/port.ts";
import { endsDialog, Refused, statusToPass } from "./refused.ts";
import { agreeAsClient, agreeAsServer, refusedBy } from "./session_timer.ts";
import { refreshTarget } from "./target.ts";
import { guard, sdpBody, type Signalling } from "../signalling.ts";
import { allowHeader, contactHeader } from "../user_agent_core.ts";

/** The other side of an offer in a dialog. */
export interface OfferAnswer {
  /** The answer; the peer's offer where it was asked for one. */
  sdp: string;
  /** Takes the answer to the offer, empty where none came; rejects when our media cannot follow it. */
  settle?(answer: string): void | Promise<void>;
}

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
  },
): Promise<OfferAnswer> {
  if (by.counterpart !== undefined) {
    const { dialog } = by.counterpart;
    if (dialog === undefined) throw new Refused("pass an offer on", 491);
    return await dialog.reinvite(sdp);
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

/** A re-INVITE (RFC 3261 §14.2): 200 with our SDP, or a refusal and all stays as it was. */
export async function answerReinvite(
  { domain, log, sessionBounds }: Signalling,
  dialog: Dialog,
  request: IncomingInviteRequest,
): Promise<void> {
  try {
    const { sdp, settle } = await dialog.events.onOffer(request.message.body || undefined);
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
      () => withFlow(dialog.flow, () => request.reject({ statusCode: statusToPass(error) })),
    )();
  }
}

/**
 * Sends a re-INVITE (§14.1), without SDP to be offered some; rejects with `Refused`, 491 also where
 * another one is under way. A peer that does not know the dialog any more is lost.
 */
export async function sendOffer(
  { domain, dialogs, sessionBounds }: Signalling,
  dialog: Dialog,
  { sdp, headers = [] }: { sdp: string | undefined; headers?: string[] },
): Promise<OfferAnswer> {
  if (!dialogs.has(dialog.session.id)) throw new Refused("change a call that is over", 481);
  const { promise, resolve, reject } = Promise.withResolvers<OfferAnswer>();
  const refused = ({ message }: { message: Parameters<typeof refusedBy>[1] }) =>
    reject(refusedBy("change the call", message));
  try {
    withFlow(dialog.flow, () => {
      dialog.session.invite({
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
    });
  } catch {
    reject(new Refused("change the call while it changes", 491));
  }
  try {
    return await promise;
  } catch (error) {
    if (endsDialog(error)) dialog.events.onLost();
    throw error;
  }
}

type Ack = (options?: { body: ReturnType<typeof sdpBody> }) => unknown;

function settle(dialog: Dialog, ack: Ack, answer: string): void {
  dialog.localSdp = answer;
  withFlow(dialog.flow, () => answer === "" ? ack() : ack({ body: sdpBody(answer) }));
}
