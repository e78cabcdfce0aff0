import type { IncomingInviteRequest, Session } from "sip.js/lib/core/index.js";
import { adoptDialog, type Dialog, type DialogEvents } from "./dialog.ts";
import { type Flow, withFlow } from "./flow.ts";
import { createLegEnd, type InboundLeg, type LegEnd } from "./leg.ts";
import { sipLimits } from "./limits.ts";
import { type MediaEngine, type MediaLeg, NoCommonCodec } from "./media/port.ts";
import { answerOffer } from "./offer.ts";
import { type Ending, outcomeOf } from "./outcome.ts";
import { unavailable } from "./refusal.ts";
import { guard, sdpBody, type Signalling } from "./signalling.ts";

export interface InboundCall {
  id: string;
  accountSid: string;
  login: string;
  flow: Flow;
  request: IncomingInviteRequest;
  media: MediaEngine;
}

/** A leg while it lives; its dialog begins with the first response that has a tag. */
interface State {
  readonly signalling: Signalling;
  readonly call: InboundCall;
  readonly over: LegEnd;
  readonly released: PromiseWithResolvers<void>;
  readonly answered: PromiseWithResolvers<boolean>;
  dialog: Dialog | undefined;
  media: MediaLeg | undefined;
  answeredAt: number | undefined;
  answering: Promise<void> | undefined;
  rang: boolean;
  onOffer: InboundLeg["onOffer"];
}

/** The leg of an INVITE that was let in (RFC 3261 §13.3). */
export function createInboundLeg(signalling: Signalling, call: InboundCall): InboundLeg {
  const state: State = {
    signalling,
    call,
    over: createLegEnd(),
    released: Promise.withResolvers(),
    answered: Promise.withResolvers(),
    dialog: undefined,
    media: undefined,
    answeredAt: undefined,
    answering: undefined,
    rang: false,
    onOffer: undefined,
  };
  const onFlowLost = (gone: Flow) => {
    if (gone === call.flow && state.dialog === undefined) lost(state);
  };
  call.request.delegate = { onCancel: guard(signalling.log, () => refuse(state, 487)) };
  signalling.flowWatchers.add(onFlowLost);
  void state.over.ended.then(() => {
    signalling.flowWatchers.delete(onFlowLost);
    state.answered.resolve(false);
    state.media?.close();
  });
  return legOf(state);
}

function legOf(state: State): InboundLeg {
  const { call, over, released } = state;
  const { message } = call.request;
  return {
    direction: "inbound",
    id: call.id,
    accountSid: call.accountSid,
    sipCallId: message.callId,
    offer: message.body,
    maxForwards: message.parseHeader("max-forwards") ?? sipLimits.maxForwards,
    ended: over.ended,
    signal: over.signal,
    released: released.promise,
    whenAnswered: state.answered.promise,
    get answeredAt() {
      return state.answeredAt;
    },
    get media() {
      return state.media;
    },
    set onOffer(onOffer: InboundLeg["onOffer"]) {
      state.onOffer = onOffer;
    },
    ring: () => state.rang || progress(state, 180, ""),
    progress: (status, sdp) => progress(state, status, sdp),
    answer: () => state.answering ??= answer(state),
    answerWith: (sdp) => accept(state, sdp),
    async reinvite(sdp) {
      if (state.dialog === undefined) throw new Error("Cannot offer: the leg has no dialog");
      return await state.dialog.reinvite(sdp);
    },
    hangup({ status = 603 } = {}) {
      if (over.signal.aborted) return;
      if (state.answeredAt === undefined) refuse(state, status);
      else bye(state, { outcome: "completed" });
    },
  };
}

/** Sends a response to the INVITE, unless it has its final one. */
function reply({ signalling, call, dialog, over, answeredAt }: State, send: () => void): void {
  if (over.signal.aborted || answeredAt !== undefined) return;
  guard(signalling.log, () => withFlow(dialog?.flow ?? call.flow, send))();
}

function progress(state: State, statusCode: number, sdp: string): void {
  state.rang = true;
  const body = sdp === "" ? {} : { body: sdpBody(sdp) };
  reply(state, () => adopt(state, state.call.request.progress({ statusCode, ...body }).session));
}

async function answer(state: State): Promise<void> {
  const { call: { media: engine, request: { message } }, over } = state;
  try {
    const media = await (message.body === "" ? engine.offer() : engine.answer(message.body));
    if (over.signal.aborted || state.answeredAt !== undefined) return media.close();
    state.media = media;
    void media.lost.then(() => mediaLost(state));
    accept(state, media.localSdp);
  } catch (error) {
    refuse(state, error instanceof NoCommonCodec ? 488 : 500);
    throw error;
  }
}

function accept(state: State, sdp: string): void {
  reply(state, () => {
    adopt(state, state.call.request.accept({ statusCode: 200, body: sdpBody(sdp) }).session);
    state.answeredAt = Date.now();
    state.answered.resolve(true);
  });
}

function adopt(state: State, session: Session): void {
  const { signalling, call: { login, flow } } = state;
  state.dialog ??= adoptDialog(signalling, session, { login, flow, events: dialogEvents(state) });
}

function dialogEvents(state: State): DialogEvents {
  const { call: { request: { message } }, over, released } = state;
  return {
    onBye() {
      // A caller may leave by BYE before the answer too (§15); its INVITE still wants a response.
      if (state.answeredAt === undefined) return refuse(state, 487);
      over.end({ outcome: "completed" });
      released.resolve();
    },
    onLost: () => lost(state),
    onAck(sdp) {
      if (message.body !== "") return;
      state.media?.accept(sdp).catch(() => bye(state, { outcome: "failed", sipStatus: 488 }));
    },
    onOffer: (sdp) => answerOffer(sdp, { relay: state.onOffer, media: state.media }),
  };
}

function lost(state: State): void {
  if (state.answeredAt !== undefined) bye(state, { outcome: "completed" });
  else refuse(state, 480, "failed");
}

function refuse(state: State, status: number, outcome = outcomeOf(status)): void {
  // A redirection would need a target, which nobody gave.
  const statusCode = status < 400 ? 480 : status;
  const refusal = statusCode === unavailable.statusCode ? unavailable : { statusCode };
  reply(state, () => state.call.request.reject({ ...refusal }));
  state.dialog?.abandon();
  if (state.over.end({ outcome, sipStatus: statusCode })) state.released.resolve();
}

function bye(state: State, ending: Ending): void {
  void state.dialog?.bye().then(state.released.resolve);
  state.over.end(ending);
}

/** A browser that hangs up may close its media a moment before its BYE comes. */
function mediaLost(state: State): void {
  const lose = () => bye(state, { outcome: "completed", reason: "media-lost" });
  const stop = state.signalling.timers.after(sipLimits.byeGraceMs, lose);
  void state.over.ended.then(stop);
}
