import type {
  IncomingInviteRequest,
  IncomingRequestMessage,
  Session,
} from "sip.js/lib/core/index.js";
import { adoptDialog, type Dialog, type DialogEvents } from "./dialog.ts";
import { type Flow, withFlow } from "./flow.ts";
import { createWiring, inDialogEvents, type Wiring } from "./in_dialog.ts";
import { createLegEnd, type InboundLeg, type LegEnd } from "./leg.ts";
import { sipLimits } from "./limits.ts";
import { type MediaEngine, type MediaLeg, NoCommonCodec } from "./media/port.ts";
import { type Ending, outcomeOf } from "./outcome.ts";
import { unavailable } from "./refusal.ts";
import { createReliableResponses, type ReliableResponses } from "./reliable.ts";
import { agreeAsServer, hasOption } from "./session_timer.ts";
import { guard, sdpBody, type Signalling } from "./signalling.ts";
import { allows } from "./user_agent_core.ts";

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
  preparing: Promise<MediaLeg | undefined> | undefined;
  answering: Promise<void> | undefined;
  rang: boolean;
  /** The caller takes reliable provisional responses only. */
  readonly reliable: ReliableResponses | undefined;
  readonly wiring: Wiring;
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
    preparing: undefined,
    answering: undefined,
    rang: false,
    reliable: reliableFor(signalling, call.request.message, () => refuse(state, 504)),
    wiring: createWiring(),
  };
  const onFlowLost = (gone: Flow) => {
    if (gone === call.flow && state.dialog === undefined) lost(state);
  };
  call.request.delegate = { onCancel: guard(signalling.log, () => refuse(state, 487)) };
  signalling.flowWatchers.add(onFlowLost);
  void state.over.ended.then(() => {
    signalling.flowWatchers.delete(onFlowLost);
    state.answered.resolve(false);
    state.reliable?.stop();
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
      return state.answeredAt === undefined ? undefined : state.media;
    },
    get dialog() {
      return state.dialog;
    },
    get counterpart() {
      return state.wiring.counterpart;
    },
    set counterpart(counterpart: InboundLeg["counterpart"]) {
      state.wiring.counterpart = counterpart;
    },
    set onRefer(onRefer: InboundLeg["onRefer"]) {
      state.wiring.onRefer = onRefer;
    },
    set onNotify(onNotify: InboundLeg["onNotify"]) {
      state.wiring.onNotify = onNotify;
    },
    ring: () => state.rang || progress(state, 180, ""),
    progress: (status, sdp) => progress(state, status, sdp),
    early: () => early(state),
    answer: () => state.answering ??= answer(state),
    answerWith: (sdp) => accept(state, sdp),
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
  const { call: { request }, reliable } = state;
  // To an INVITE without SDP, the first reliable response would have to bring our offer (§5).
  if (reliable !== undefined && request.message.body === "") return;
  state.rang = true;
  const body = sdp === "" ? {} : { body: sdpBody(sdp) };
  const write = (extraHeaders: string[]) =>
    reply(
      state,
      () => adopt(state, request.progress({ statusCode, ...body, extraHeaders }).session),
    );
  if (reliable === undefined) write([]);
  else reliable.send(write);
}

async function answer(state: State): Promise<void> {
  const media = await (state.preparing ??= prepare(state));
  if (media === undefined) return;
  accept(state, media.localSdp);
  await state.answered.promise;
}

/** Our media for the caller; undefined when the leg ended, refused when there is no codec. */
async function prepare(state: State): Promise<MediaLeg | undefined> {
  const { call: { media: engine, request: { message } }, over } = state;
  try {
    const media = await (message.body === "" ? engine.offer() : engine.answer(message.body));
    if (over.signal.aborted) return void media.close();
    state.media = media;
    void media.lost.then(() => {
      if (state.answeredAt !== undefined) return mediaLost(state);
      // A softphone that leaves early SDP unread gets other media with the 200.
      state.media = state.preparing = undefined;
      media.close();
    });
    return media;
  } catch (error) {
    refuse(state, error instanceof NoCommonCodec ? 488 : 500);
    throw error;
  }
}

/** Lets the caller hear something before the answer; never on an INVITE that brought no offer. */
async function early(state: State): Promise<MediaLeg | undefined> {
  if (state.call.request.message.body === "" || state.answeredAt !== undefined) return undefined;
  const media = await (state.preparing ??= prepare(state));
  if (media !== undefined && state.answeredAt === undefined) progress(state, 183, media.localSdp);
  return media;
}

/** Sends the 200; one that waits for a PRACK comes before it (RFC 3262 §3). */
function accept(state: State, sdp: string): void {
  if (state.reliable === undefined) acceptNow(state, sdp);
  else state.reliable.whenIdle(() => acceptNow(state, sdp));
}

function acceptNow(state: State, sdp: string): void {
  const { call: { request }, signalling: { sessionBounds } } = state;
  const { agreement, headers } = agreeAsServer(request.message, sessionBounds);
  const response = { statusCode: 200, body: sdpBody(sdp), extraHeaders: headers };
  reply(state, () => {
    const dialog = adopt(state, request.accept(response).session);
    dialog.localSdp = sdp;
    dialog.timer.restart(agreement);
    state.answeredAt = Date.now();
    state.answered.resolve(true);
  });
}

function reliableFor(
  { timers }: Signalling,
  message: IncomingRequestMessage,
  onSilence: () => void,
): ReliableResponses | undefined {
  if (!hasOption(message, "require", "100rel")) return undefined;
  return createReliableResponses({ timers, cseq: message.cseq, onSilence });
}

function adopt(state: State, session: Session): Dialog {
  const { signalling, call: { id, login, flow, request: { message } } } = state;
  return state.dialog ??= adoptDialog(signalling, session, {
    login,
    leg: id,
    flow,
    knowsUpdate: allows(message, "UPDATE"),
    events: dialogEvents(state),
  });
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
    onPrack: (rack) => state.reliable?.acknowledge(rack) ?? false,
    ...inDialogEvents(state.wiring, () => state.media),
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
