import { createWiring } from "../dialog/in_dialog.ts";
import { createLegEnd, type OutboundLeg } from "./leg.ts";
import {
  bye,
  cancelForks,
  finish,
  type OutboundCall,
  type OutboundState,
} from "./outbound_state.ts";
import { place } from "./place.ts";
import { answeredElsewhere } from "./ring.ts";
import type { Signalling } from "../signalling.ts";

/** Places a call; of several devices, the first to answer has it (RFC 3261 §16.7 step 5). */
export function createOutboundLeg(signalling: Signalling, call: OutboundCall): OutboundLeg {
  const state: OutboundState = {
    signalling,
    call,
    callId: crypto.randomUUID(),
    over: createLegEnd(),
    released: Promise.withResolvers(),
    answered: Promise.withResolvers(),
    refusals: [],
    forks: [],
    winner: undefined,
    dialog: undefined,
    answeredAt: undefined,
    remoteSdp: "",
    responseHeaders: {},
    ringing: false,
    early: undefined,
    wiring: { ...createWiring(), ...call.invitation.ussd && { onContent: undefined } },
    stopTimeout: signalling.timers.after(call.timeoutMs, () => {
      cancelForks(state);
      finish(state, { outcome: "no-answer", sipStatus: 408 });
    }),
  };
  // Its peer has answered or sent BYE, and repeats its 2xx no more.
  void state.released.promise.then(() => state.winner?.forget());
  // Not before the caller has the leg in hand.
  queueMicrotask(() => {
    place(state).catch((error) => {
      signalling.log("Cannot place a call", { leg: call.invitation.leg, error: String(error) });
      finish(state, { outcome: "failed", sipStatus: 500 });
    });
  });
  return legOf(state);
}

function legOf(state: OutboundState): OutboundLeg {
  const { call: { invitation }, over, released, answered } = state;
  return {
    direction: "outbound",
    target: invitation.target,
    id: invitation.leg,
    accountSid: invitation.accountSid,
    sipCallId: state.callId,
    ended: over.ended,
    signal: over.signal,
    released: released.promise,
    whenAnswered: answered.promise,
    get answeredAt() {
      return state.answeredAt;
    },
    get media() {
      return state.answeredAt === undefined ? undefined : state.winner?.media;
    },
    get responseHeaders() {
      return state.responseHeaders;
    },
    get remoteSdp() {
      return state.remoteSdp;
    },
    get dialog() {
      return state.dialog;
    },
    get counterpart() {
      return state.wiring.counterpart;
    },
    set counterpart(counterpart: OutboundLeg["counterpart"]) {
      state.wiring.counterpart = counterpart;
    },
    set onRefer(onRefer: OutboundLeg["onRefer"]) {
      state.wiring.onRefer = onRefer;
    },
    set onNotify(onNotify: OutboundLeg["onNotify"]) {
      state.wiring.onNotify = onNotify;
    },
    isUssd: invitation.ussd !== undefined,
    set onContent(onContent: OutboundLeg["onContent"]) {
      state.wiring.onContent = onContent;
    },
    hangup({ elsewhere, content } = {}) {
      if (over.signal.aborted) return;
      if (state.dialog !== undefined) return bye(state, { outcome: "completed" }, content);
      cancelForks(state, elsewhere ? answeredElsewhere : undefined);
      finish(state, { outcome: "canceled", sipStatus: 487 });
    },
  };
}
