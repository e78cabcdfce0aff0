import type { IncomingInviteRequest } from "sip.js/lib/core/index.js";
import type { Dialog } from "./dialog.ts";
import { withFlow } from "./flow.ts";
import type { MediaLeg } from "./media/port.ts";
import { guard, sdpBody, type Signalling } from "./signalling.ts";
import { allowHeader, contactHeader } from "./user_agent_core.ts";

/** Answers an offer in the dialog: from the other side of the call, else from our own media. */
export async function answerOffer(
  sdp: string | undefined,
  by: { relay: ((sdp: string) => Promise<string>) | undefined; media: MediaLeg | undefined },
): Promise<string> {
  if (sdp !== undefined && by.relay !== undefined) return await by.relay(sdp);
  if (by.media === undefined) throw new Error("Cannot answer an offer: the leg has no media");
  return sdp === undefined ? by.media.localSdp : await by.media.reanswer(sdp);
}

/** A re-INVITE (RFC 3261 §14.2): 200 with our SDP, or 488 and all stays as it was. */
export async function answerReinvite(
  { domain, log }: Signalling,
  dialog: Dialog,
  request: IncomingInviteRequest,
): Promise<void> {
  try {
    const body = sdpBody(await dialog.events.onOffer(request.message.body || undefined));
    withFlow(dialog.flow, () => {
      const extraHeaders = [contactHeader(domain), allowHeader];
      request.accept({ statusCode: 200, body, extraHeaders });
    });
  } catch {
    guard(log, () => request.reject({ statusCode: 488 }))();
  }
}

/** Sends a re-INVITE (§14.1); resolves with the answer, rejects when the peer refuses. */
export function sendOffer({ domain }: Signalling, dialog: Dialog, sdp: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const refused = ({ message }: { message: { statusCode: number | undefined } }) =>
    reject(new Error(`Cannot change the call: the peer answered ${message.statusCode}`));
  withFlow(dialog.flow, () => {
    dialog.session.invite({
      onAccept({ message, ack }) {
        ack();
        resolve(message.body);
      },
      onReject: refused,
      onRedirect: refused,
    }, { body: sdpBody(sdp), extraHeaders: [contactHeader(domain)] });
  });
  return promise;
}
