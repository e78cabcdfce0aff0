import { createWiring } from "./in_dialog.ts";
import { createLegEnd, type OutboundLeg } from "../contracts/leg.ts";
import {
  bye,
  cancelForks,
  finish,
  type OutboundCall,
  type OutboundState,
  startTimeout,
} from "./outbound_state.ts";
import { byService, type Ending, failedHere } from "../contracts/outcome.ts";
import { place } from "./place.ts";
import type { MediaLeg } from "../media/mod.ts";
import { anchorAt, answeredElsewhere } from "./ring.ts";
import type { Signalling } from "../contracts/signalling.ts";
import { WiredLeg } from "./wired_leg.ts";

/** Places a call; of several devices, the first to answer has it (RFC 3261 §16.7 step 5). */
export function createOutboundLeg(signalling: Signalling, call: OutboundCall): OutboundLeg {
  const state: OutboundState = {
    signalling,
    call,
    callId: crypto.randomUUID(),
    over: createLegEnd(),
    released: Promise.withResolvers(),
    answered: Promise.withResolvers(),
    refusals: new Map(),
    unwanted: undefined,
    forks: [],
    winner: undefined,
    anchored: undefined,
    dialog: undefined,
    answeredAt: undefined,
    invitedAt: undefined,
    remoteSdp: "",
    responseHeaders: {},
    ringing: false,
    early: undefined,
    wiring: { ...createWiring(), ...call.invitation.ussd && { onContent: undefined } },
    stopTimeout() {},
  };
  startTimeout(state);
  // Its peer has answered or sent BYE, and repeats its 2xx no more.
  void state.released.promise.then(() => state.winner?.forget());
  // Not before the caller has the leg in hand.
  queueMicrotask(() => {
    place(state).catch((error) => {
      signalling.log("Cannot place a call", { leg: call.invitation.leg, error: String(error) });
      finish(state, { outcome: "failed", ...failedHere(error, signalling.shortages) });
    });
  });
  return new OutboundLegOfState(state);
}

class OutboundLegOfState extends WiredLeg implements OutboundLeg {
  readonly direction = "outbound";
  readonly target: OutboundLeg["target"];
  readonly id: string;
  readonly accountSid: string;
  readonly sipCallId: string;
  readonly ended: Promise<Ending>;
  readonly signal: AbortSignal;
  readonly released: Promise<void>;
  readonly whenAnswered: Promise<boolean>;
  readonly isUssd: boolean;
  readonly #state: OutboundState;

  constructor(state: OutboundState) {
    const { call: { invitation }, over, released, answered } = state;
    super(state.wiring);
    this.#state = state;
    this.target = invitation.target;
    this.id = invitation.leg;
    this.accountSid = invitation.accountSid;
    this.sipCallId = state.callId;
    this.ended = over.ended;
    this.signal = over.signal;
    this.released = released.promise;
    this.whenAnswered = answered.promise;
    this.isUssd = invitation.ussd !== undefined;
  }
  get answeredAt() {
    return this.#state.answeredAt;
  }
  get invitedAt() {
    return this.#state.invitedAt;
  }
  get media() {
    const { answeredAt, anchored, winner } = this.#state;
    return answeredAt === undefined ? undefined : anchored ?? winner?.media;
  }
  anchor(media: MediaLeg) {
    anchorAt(this.#state, media);
  }
  get responseHeaders() {
    return this.#state.responseHeaders;
  }
  get remoteSdp() {
    return this.#state.remoteSdp;
  }
  get dialog() {
    return this.#state.dialog;
  }
  hangup({ cause, content }: Parameters<OutboundLeg["hangup"]>[0] = {}) {
    const state = this.#state;
    if (state.over.signal.aborted) return;
    const why = byService(cause ?? "hangup");
    if (state.dialog !== undefined) {
      return bye(state, { outcome: "completed", ...why }, { content });
    }
    cancelForks(state, cause === "answered-elsewhere" ? answeredElsewhere : undefined);
    finish(state, { outcome: "canceled", sipStatus: 487, ...why });
  }
}
