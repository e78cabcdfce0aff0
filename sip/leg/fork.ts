import {
  type IncomingResponseMessage,
  type OutgoingInviteRequest,
  type OutgoingInviteRequestDelegate,
  type OutgoingRequestMessage,
  type Session,
  type URI,
} from "sip.js/lib/core/index.js";
import { loginWith } from "../auth/client_authentication.ts";
import { type Flow, withFlow } from "../flow.ts";
import type { ForkInvite } from "./fork_invite.ts";
import { ackOptions, follow, retryAfterOf, statusOf, takeProvisional } from "./fork_response.ts";
import { forgetTransaction } from "./forget_transaction.ts";
import { sipLimits } from "../limits.ts";
import type { MediaLeg } from "../media/port.ts";
import { guard, sdpBody, type Signalling } from "../signalling.ts";
import { passedHeaders } from "../text/passed_headers.ts";
import {
  agreeAsClient,
  askInterval,
  demandedInterval,
  type TimerAgreement,
} from "../dialog/session_timer.ts";
import type { Trunk } from "../trunk/trunk.ts";
import { takesUssdAlone } from "../ussd/ussd_body.ts";
import { allowHeader, allows, contactHeader } from "../user_agent_core.ts";

export interface ForkEvents {
  /** 100: the request has come to somebody. */
  onTrying?(): void;
  onProgress(status: number, sdp: string): void;
  /** The first 2xx of the fork. */
  onAnswer(answer: Answer): void;
  onRefused(refusal: ForkRefusal): void;
}

/** A final response that says no, or none any more. */
export interface ForkRefusal {
  status: number;
  /** Its X- and User-to-User headers. */
  headers: Record<string, string>;
  /** 0 where nothing is said of when to try again. */
  retryAfterS: number;
  /** What its Warning says (RFC 3261 §20.43). */
  warning?: string | undefined;
}

/** A 2xx, already acknowledged. */
export interface Answer {
  session: Session;
  sdp: string;
  /** Its X- and User-to-User headers. */
  headers: Record<string, string>;
  knowsUpdate: boolean;
  /** The session timer that the device agreed to. */
  agreement: TimerAgreement | undefined;
}

/** The INVITE to one device of the Client called (RFC 3261 §13.2). */
export interface Fork {
  readonly media: MediaLeg | undefined;
  /** The SDP that the device is offered. */
  readonly offer: string;
  /** Where the device was heard last. */
  readonly flow: Flow;
  /** The trunk that it goes by. */
  readonly trunk: Trunk | undefined;
  /** Refused, answered or given up. */
  readonly over: boolean;
  send(events: ForkEvents): void;
  /** CANCEL; what the device still says is left to the events. */
  cancel(reason?: string): void;
  /** The call that it led to is over: nothing of it is kept for what the device may repeat. */
  forget(): void;
}

/** A way to a device or trunk, with the SDP to offer: of our media, or the caller's. */
export interface Device {
  flow: Flow;
  /** The Request-URI. */
  uri: URI;
  /** Proxies on the way, as Route values. */
  routeSet: readonly string[];
  trunk?: Trunk;
  offer: string;
  media: MediaLeg | undefined;
  /** Header lines that hold for the INVITE with this CSeq alone. */
  proof?(cseq: number): string[];
}

interface State {
  readonly signalling: Signalling;
  readonly invite: ForkInvite;
  readonly device: Device;
  /** The least session interval, once a 422 demanded one. */
  atLeastS: number;
  /** A USSD dialogue of which the peer wants no offer. */
  isAlone: boolean;
  flow: Flow;
  over: boolean;
  cancelled: boolean;
  request: OutgoingInviteRequest | undefined;
  /** Early SDP by the tag of who said it. */
  early: Map<string, string> | undefined;
  stopGivingUp(): void;
  stopWatching(): void;
}

export function createFork(signalling: Signalling, invite: ForkInvite, device: Device): Fork {
  const state: State = {
    signalling,
    invite,
    device,
    atLeastS: 0,
    isAlone: false,
    flow: device.flow,
    over: false,
    cancelled: false,
    request: undefined,
    early: undefined,
    stopGivingUp() {},
    stopWatching() {},
  };
  return new ForkOfState(state);
}

/** A class for the reason that `inbound_leg.ts` tells. */
class ForkOfState implements Fork {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }
  get media() {
    return this.#state.device.media;
  }
  get offer() {
    return this.#state.device.offer;
  }
  get trunk() {
    return this.#state.device.trunk;
  }
  get flow() {
    return this.#state.flow;
  }
  get over() {
    return this.#state.over;
  }
  send(events: ForkEvents) {
    watchFlow(this.#state, events);
    sendInvite(this.#state, events);
  }
  forget() {
    forget(this.#state);
  }
  cancel(reason?: string) {
    const state = this.#state;
    if (state.over) return;
    const { log, timers } = state.signalling;
    state.cancelled = true;
    guard(log, () => {
      withFlow(state.flow, () => state.request?.cancel(reason));
    })();
    // After 64*T1 a cancelled transaction counts as over, answered or not (§9.1).
    state.stopGivingUp = timers.after(sipLimits.cancelGraceMs, () => giveUp(state));
  }
}

function sendInvite(state: State, events: ForkEvents): void {
  withFlow(state.flow, () => {
    state.request = state.signalling.core.invite(inviteMessage(state), delegateOf(state, events));
  });
}

function inviteMessage(
  { signalling: { core, domain, sessionBounds }, invite, device, atLeastS, isAlone, request }:
    State,
): OutgoingRequestMessage {
  const { callId, from, to, maxForwards, headers, ussd } = invite;
  const { uri, routeSet, trunk, offer } = device;
  const timer = askInterval(sessionBounds, atLeastS);
  // The same call, tried again: with credentials, another session interval (RFC 4028 §7.3) or body.
  const cseq = (request?.message.cseq ?? 0) + 1;
  const proof = device.proof?.(cseq) ?? [];
  const ours = [contactHeader(domain), allowHeader, ...timer, ...headers, ...proof];
  const ids = { callId, cseq, routeSet: [...routeSet] };
  const body = ussd === undefined
    ? sdpBody(offer)
    : { ...isAlone ? ussd.alone : ussd.whole, contentDisposition: "render" };
  const message = core.makeOutgoingRequestMessage("INVITE", uri, from, to, ids, ours, body);
  message.setHeader("max-forwards", String(maxForwards));
  if (trunk?.login !== undefined) loginWith(message, trunk.login);
  return message;
}

function delegateOf(state: State, events: ForkEvents): OutgoingInviteRequestDelegate {
  const { log, sessionBounds } = state.signalling;
  const refused = guard(log, ({ message }: { message: IncomingResponseMessage }) => {
    const interval = state.atLeastS === 0 && demandedInterval(message);
    const isAlone = !state.isAlone && state.invite.ussd !== undefined && takesUssdAlone(message);
    if (!state.cancelled && (interval || isAlone)) {
      state.atLeastS ||= interval || 0;
      state.isAlone ||= isAlone;
      return sendInvite(state, events);
    }
    close(state);
    events.onRefused({
      status: statusOf(message),
      headers: passedHeaders(message),
      retryAfterS: retryAfterOf(message),
      warning: message.getHeader("warning"),
    });
  });
  return {
    onTrying: guard(log, () => events.onTrying?.()),
    onProgress: guard(log, ({ message, prack }) => {
      takeProvisional(state, message, prack);
      events.onProgress(statusOf(message), message.body);
    }),
    onAccept: guard(log, ({ message, session, ack }) => {
      follow(state);
      close(state);
      ack(ackOptions(state, message));
      events.onAnswer({
        session,
        // The answer to our offer may have come before, and need not come again (RFC 3262 §5).
        sdp: message.body || state.early?.get(message.toTag) || "",
        headers: passedHeaders(message),
        knowsUpdate: allows(message, "UPDATE"),
        agreement: agreeAsClient(message, sessionBounds),
      });
    }),
    onReject: refused,
    onRedirect: refused,
  };
}

/** A device whose connection is gone for good cannot answer any more. */
function watchFlow(state: State, events: ForkEvents): void {
  state.stopWatching = state.signalling.flowWatchers.add((lost) => {
    if (lost !== state.flow) return;
    giveUp(state);
    events.onRefused({ status: 480, headers: {}, retryAfterS: 0 });
  });
}

function close(state: State): void {
  state.over = true;
  state.stopGivingUp();
  state.stopWatching();
}

function forget({ request }: State): void {
  if (request !== undefined) forgetTransaction(request);
}

/** Drops the transaction, which would otherwise wait for its final response for ever. */
function giveUp(state: State): void {
  close(state);
  forget(state);
}
