import type { IncomingRequestMessage } from "sip.js/lib/core/index.js";
import type { Flow } from "../flow.ts";
import { forgetTransaction } from "./forget_transaction.ts";
import { createWiring } from "../dialog/in_dialog.ts";
import { accept, acceptUssd, answer, early, progress } from "./inbound_answer.ts";
import { bye, type InboundCall, type InboundState, lost, refuse } from "./inbound_state.ts";
import { createLegEnd, type InboundLeg } from "./leg.ts";
import { sipLimits } from "../limits.ts";
import { mediaKindOver } from "./media_kind.ts";
import { createReliableResponses, type ReliableResponses } from "../dialog/reliable.ts";
import { hasOption } from "../dialog/session_timer.ts";
import { peerLogin } from "../peer/peers.ts";
import { guard, type Signalling } from "../signalling.ts";
import { userOf } from "../text/uri.ts";

/** The leg of an INVITE that was let in (RFC 3261 §13.3). */
export function createInboundLeg(signalling: Signalling, call: InboundCall): InboundLeg {
  const state: InboundState = {
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
    wiring: { ...createWiring(), ...call.ussdOffer !== undefined && { onContent: undefined } },
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
  // A refusal waits for its ACK; after BYE, the INVITE is not repeated any more.
  void state.released.promise.then(() => {
    if (state.answeredAt !== undefined) forgetTransaction(call.request);
  });
  return legOf(state);
}

function legOf(state: InboundState): InboundLeg {
  const { call, over, released } = state;
  const { message } = call.request;
  return {
    direction: "inbound",
    callerUser: call.login === undefined || call.login === peerLogin
      ? userOf(message.from.uri)
      : call.login,
    id: call.id,
    accountSid: call.accountSid,
    sipCallId: message.callId,
    offer: message.body,
    mediaKind: mediaKindOver(call.flow),
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
    isUssd: call.ussdOffer !== undefined,
    set onContent(onContent: InboundLeg["onContent"]) {
      state.wiring.onContent = onContent;
    },
    acceptUssd: () => acceptUssd(state),
    ring: () => state.rang || progress(state, 180, ""),
    progress: (status, sdp) => progress(state, status, sdp),
    early: () => early(state),
    answer: (headers) => state.answering ??= answer(state, headers),
    answerWith: (sdp, headers) => accept(state, sdp, headers),
    hangup({ status = 603, headers = [], content } = {}) {
      if (over.signal.aborted) return;
      if (state.answeredAt === undefined) refuse(state, status, { headers });
      else bye(state, { outcome: "completed" }, content);
    },
  };
}

function reliableFor(
  { timers }: Signalling,
  message: IncomingRequestMessage,
  onSilence: () => void,
): ReliableResponses | undefined {
  if (!hasOption(message, "require", "100rel")) return undefined;
  return createReliableResponses({ timers, cseq: message.cseq, onSilence });
}
