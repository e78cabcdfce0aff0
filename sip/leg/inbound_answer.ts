import { steadyNow } from "../../core/base/steady_clock.ts";
import type { Session } from "../base/sip_js.ts";
import { adoptDialog } from "./adopt_dialog.ts";
import type { Dialog } from "../contracts/dialog.ts";
import type { DialogEvents } from "../contracts/dialog_events.ts";
import { inDialogEvents } from "./in_dialog.ts";
import { bye, type InboundState, lost, mediaLost, refuse, reply } from "./inbound_state.ts";
import { type MediaLeg, NoCommonCodec } from "../media/mod.ts";
import { byRemote, failedHere, unfollowed, unfollowedWords } from "../contracts/outcome.ts";
import { beginAnotherDialog } from "../stack/another_dialog.ts";
import { knownSources } from "./known_sources.ts";
import { mediaKindOver } from "./media_kind.ts";
import { originOf } from "../text/origin.ts";
import { isSips } from "../text/secure.ts";
import { agreeAsServer } from "../contracts/session_timer.ts";
import { mediaWarning } from "./not_acceptable.ts";
import { sdpBody } from "../text/sdp_body.ts";
import { sdpWithoutMedia, ussdHeaders } from "../text/ussd_body.ts";
import { watchMedia } from "./watch_media.ts";
import { allows } from "../stack/user_agent_core.ts";

/** A provisional response, with early SDP unless that is empty. */
export function progress(state: InboundState, statusCode: number, sdp: string): void {
  const { call: { request }, reliable } = state;
  // To an INVITE without SDP, the first reliable response would have to bring our offer (§5).
  if (reliable !== undefined && request.message.body === "") return;
  state.rang = true;
  state.earlySdp ||= sdp;
  // In one dialog there is one answer, though a proxy behind us may ring several (RFC 3261 §13.2.1).
  const body = sdp === "" || sdp !== state.earlySdp ? {} : { body: sdpBody(sdp) };
  const write = (extraHeaders: string[]) =>
    reply(
      state,
      () => adopt(state, request.progress({ statusCode, ...body, extraHeaders }).session),
    );
  if (reliable === undefined) write([]);
  else reliable.send(write);
}

/** 200 with media of our own; rejects after refusing the call. */
export async function answer(state: InboundState, headers: string[] = []): Promise<void> {
  const media = await (state.preparing ??= prepare(state));
  if (media === undefined) return;
  accept(state, media.localSdp, headers);
  await state.answered.promise;
}

/** Our media for the caller; undefined when the leg ended, refused when there is no codec. */
async function prepare(state: InboundState): Promise<MediaLeg | undefined> {
  const { call: { media: engine, flow, trunk, request: { message } }, over } = state;
  try {
    // Behind a proxy the caller may be anywhere, though the proxy is near.
    const isDirect = message.getHeaders("via").length === 1;
    const host = isDirect ? flow.local.mediaHost : undefined;
    const options = {
      accountSid: state.call.accountSid,
      sources: knownSources([flow], trunk),
      ...host !== undefined && { host },
    };
    const media = await (message.body === ""
      ? engine.offer(mediaKindOver(flow), options)
      : engine.answer(message.body, options));
    if (over.signal.aborted) {
      return void media.close();
    }
    state.media = media;
    void media.unknownSource.then((address) =>
      state.wiring.onUnknownSource?.(address)
    );
    watch(state, media, (why) => {
      if (state.answeredAt !== undefined) return mediaLost(state, why);
      // A softphone that leaves early SDP unread gets other media with the 200.
      state.media = state.preparing = undefined;
      media.close();
    });
    return media;
  } catch (error) {
    if (error instanceof NoCommonCodec) {
      const headers = [mediaWarning(state.signalling.domain, error)];
      refuse(state, 488, { ...unfollowed(error), headers });
    } else {
      const { sipStatus, ...why } = failedHere(error, state.signalling.shortages);
      refuse(state, sipStatus, why);
    }
    throw error;
  }
}

/** Takes media that the caller agreed to after the answer, whose SDP was the other side's. */
export function anchorAt(state: InboundState, media: MediaLeg): void {
  if (state.over.signal.aborted) return media.close();
  state.media = media;
  // A join from now on wants an answer with media of the companion, which the leg has.
  state.preparing = Promise.resolve(media);
  state.answering = Promise.resolve();
  watch(state, media, (why) => mediaLost(state, why));
}

function watch(state: InboundState, media: MediaLeg, onLost: (why: string) => void): void {
  const { rtpTimeoutMs } = state.signalling;
  watchMedia(media, { dialog: () => state.dialog, rtpTimeoutMs, onLost });
}

/** Lets the caller hear something before the answer; never on an INVITE that brought no offer. */
export async function early(state: InboundState): Promise<MediaLeg | undefined> {
  if (state.call.request.message.body === "" || state.answeredAt !== undefined) return undefined;
  const media = await (state.preparing ??= prepare(state));
  if (media !== undefined && state.answeredAt === undefined) progress(state, 183, media.localSdp);
  return media;
}

/**
 * Sends the 200, after what waits for a PRACK (RFC 3262 §3). An answer of another callee than the one
 * with early media is in a dialog of its own, as if the caller's proxy had forked (RFC 3261 §13.2.2.4).
 */
export function accept(state: InboundState, sdp: string, extra: string[] = []): void {
  const { reliable, call: { request } } = state;
  const act = () => {
    const { earlySdp } = state;
    if (earlySdp !== "" && earlySdp !== sdp) {
      beginAnotherDialog(request);
      state.dialog?.abandon();
      state.dialog = undefined;
    }
    acceptNow(state, sdp, extra);
  };
  if (reliable === undefined) act();
  else reliable.whenIdle(act);
}

function acceptNow(state: InboundState, sdp: string, extra: string[]): void {
  const { call: { request }, signalling: { sessionBounds } } = state;
  const { agreement, headers } = agreeAsServer(request.message, sessionBounds);
  const response = { statusCode: 200, body: sdpBody(sdp), extraHeaders: [...headers, ...extra] };
  reply(state, () => {
    const dialog = adopt(state, request.accept(response).session);
    dialog.localSdp = sdp;
    dialog.timer.restart(agreement);
    state.answeredAt = steadyNow();
    state.answered.resolve(true);
  });
}

/**
 * Answers a USSD dialogue: it has no media, so offered streams are refused. Without an offer it offers a
 * session without streams, since there must be one (RFC 3261 §13.3.1.4).
 */
export function acceptUssd(state: InboundState): void {
  const { call: { request, ussdOffer = "" } } = state;
  if (state.answeredAt !== undefined) return;
  const body = sdpBody(sdpWithoutMedia(ussdOffer));
  reply(state, () => {
    adopt(state, request.accept({ statusCode: 200, body, extraHeaders: ussdHeaders }).session);
    state.answeredAt = steadyNow();
    state.answered.resolve(true);
  });
}

function adopt(state: InboundState, session: Session): Dialog {
  const { signalling, call: { id, login, trunk, flow, request: { message } } } = state;
  return state.dialog ??= adoptDialog(signalling, session, {
    login,
    trunk,
    leg: id,
    flow,
    isSecure: isSips(originOf(message).target),
    knowsUpdate: allows(message, "UPDATE"),
    events: dialogEvents(state),
  });
}

function dialogEvents(state: InboundState): DialogEvents {
  const { call: { id, request: { message } }, over, released, signalling: { log } } = state;
  const requests = inDialogEvents(state.wiring, () => state.media);
  let taken: Promise<void> | undefined;
  return {
    ...requests,
    async onOffer(sdp, signal) {
      // It may come right behind the ACK with the answer to ours.
      await taken;
      return await requests.onOffer(sdp, signal);
    },
    onBye(reason) {
      const why = byRemote("bye", reason);
      // A caller may leave by BYE before the answer too (§15); its INVITE still wants a response.
      if (state.answeredAt === undefined) return refuse(state, 487, why);
      over.end({ outcome: "completed", ...why });
      released.resolve();
    },
    onLost: (cause) => lost(state, cause),
    onAck(sdp) {
      if (message.body !== "") return;
      taken = state.media?.accept(sdp)
        .catch((error) => {
          log("Cannot process the answer to a call", { leg: id, error: String(error) });
          const ending = { outcome: "failed", sipStatus: 488, ...unfollowed(error) } as const;
          bye(state, ending, unfollowedWords);
        });
    },
    onUnfollowed: (error) =>
      bye(state, { outcome: "completed", ...unfollowed(error) }, unfollowedWords),
    onPrack: (rack) => state.reliable?.acknowledge(rack) ?? false,
  };
}
