/**
 * One INVITE of a leg, and the early dialogs of the callees that a proxy rings by it. The library gives no
 * events of early dialogs of an outgoing call: INFO and OPTIONS got 481, and an UPDATE with an offer 491.
 * Refused: answers without a state, for each method. A callee that rings has the same `Dialog` as after its
 * answer, with other handlers: one for each of at most 16 callees, until a final response. An offer is
 * answered once the callee's own answer came in a reliable response (RFC 6337 §2.2), and where the audio is
 * anchored; else it gets 491, and the call rings on. After such an UPDATE the SDP of the 2xx does not count,
 * since many callees repeat their first one there. An early request has to come from the peer that was called,
 * as any later one.
 */
import type {
  IncomingResponseMessage,
  OutgoingInviteRequest,
  OutgoingInviteRequestDelegate,
  OutgoingRequestMessage,
  Session,
} from "../base/sip_js.ts";
import { loginWith } from "../auth/client_authentication.ts";
import { currentFlow, type Flow, withFlow } from "../base/flow.ts";
import type { ForkInvite } from "./fork_invite.ts";
import { forgetTransaction, moveTransaction } from "../stack/forget_transaction.ts";
import { sipLimits } from "../base/limits.ts";
import { guard } from "../base/log.ts";
import { parseNameAddr } from "../text/uri.ts";
import { reachNext } from "./reconnect.ts";
import { sdpBody } from "../text/sdp_body.ts";
import type { Signalling } from "../contracts/signalling.ts";
import { passedHeaders } from "../text/passed_headers.ts";
import {
  agreeAsClient,
  askInterval,
  demandedInterval,
  hasOption,
} from "../contracts/session_timer.ts";
import { sdpWithoutMedia, takesUssdAlone } from "../text/ussd_body.ts";
import { allowHeader, allows, contactHeader } from "../stack/user_agent_core.ts";
import { refreshTarget } from "./target.ts";
import type { Dialog } from "../contracts/dialog.ts";
import type { Answer, Device, Fork, ForkEvents } from "../contracts/fork.ts";

/** A callee that rings: a proxy may ring several for one INVITE. */
interface Early {
  /** Its SDP; empty before. */
  sdp: string;
  /** True when that SDP is its answer. */
  isAnswer: boolean;
  /** A later offer, which our media have followed, and our answer. */
  later: ReturnType<Answer["later"]>;
  readonly session: Session;
  /** Made when the callee says something. */
  dialog: Dialog | undefined;
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
  /** Early dialogs of callees, by their To tag. */
  early: Map<string, Early> | undefined;
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

/** A class for the reason that `inbound_leg.ts` gives. */
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
    const cancel = guard(log, () => {
      withFlow(state.flow, () => state.request?.cancel(reason));
    });
    if (!state.flow.closed) cancel();
    else void regain(state).then(cancel);
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
  const ids = { callId, cseq, fromTag: crypto.randomUUID(), routeSet: [...routeSet] };
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
      words: wordsOf(message),
      warning: message.getHeader("warning"),
      isUnanswered: !message.hasHeader("via"), // The library made the response itself.
    });
  });
  return {
    onTrying: guard(log, () => events.onTrying?.()),
    onProgress: guard(log, ({ message, session, prack }) => {
      takeProvisional(state, events, { message, session, prack });
      events.onProgress(statusOf(message), message.body);
    }),
    onAccept: guard(log, ({ message, session, ack }) => {
      const early = state.early?.get(message.toTag);
      follow(state);
      close(state);
      refreshTarget(session, message);
      ack(ackOptions(state, message));
      events.onAnswer({
        session,
        // The answer to our offer may have come before, and need not come again (RFC 3262 §5).
        sdp: message.body || early?.sdp || "",
        later: () => early?.later,
        headers: passedHeaders(message),
        knowsUpdate: allows(message, "UPDATE"),
        agreement: agreeAsClient(message, sessionBounds),
      });
    }),
    onReject: refused,
    onRedirect: refused,
  };
}

/**
 * A device whose connection is gone for good, and that cannot be connected to, does not answer any more.
 * Another one answers by a connection of its own (RFC 3261 §18.2.2).
 */
function watchFlow(state: State, events: ForkEvents): void {
  const { flowWatchers, log } = state.signalling;
  const lose = guard(log, (lost: Flow) => {
    if (lost !== state.flow || state.over) return;
    giveUp(state);
    const words = "Connection lost";
    events.onRefused({ status: 480, headers: {}, retryAfterS: 0, words, isUnanswered: true });
  });
  state.stopWatching = flowWatchers.add((lost) => {
    if (lost === state.flow) void regain(state).then(() => lose(lost));
  });
}

/**
 * Makes a new connection for what the INVITE still sends, such as CANCEL: to where it went (§9.1). Never
 * rejects.
 */
async function regain(state: State): Promise<void> {
  const { signalling, device: { trunk, routeSet: [first], uri }, flow: lost } = state;
  const next = first === undefined ? uri : parseNameAddr(first)?.uri;
  try {
    const flow = await (trunk?.reach() ?? reachNext(signalling, { flow: lost, next }));
    if (state.flow !== lost || state.over) return;
    state.flow = flow;
    if (state.request !== undefined) moveTransaction(state.request, flow);
  } catch {
    // A softphone may still come back by itself.
  }
}

function close(state: State): void {
  state.over = true;
  for (const { session, dialog } of state.early?.values() ?? []) {
    state.signalling.early.delete(session.id);
    dialog?.abandon();
  }
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

const statusOf = (message: IncomingResponseMessage): number => message.statusCode ?? 500;

const wordsOf = (message: IncomingResponseMessage): string =>
  [message.reasonPhrase?.trim(), message.getHeader("reason")].filter(Boolean).join("; Reason: ");

/** The seconds of Retry-After; 0 where nothing is said of when to try again. */
const retryAfterOf = (message: IncomingResponseMessage): number =>
  Number(/^\s*(\d{1,9})/.exec(message.getHeader("retry-after") ?? "")?.[1] ?? 0);

/**
 * Headers and body of the ACK to a 2xx: the credentials of the INVITE (RFC 3261 §22.1), and, where it
 * had no offer, the answer to that of the 2xx (§13.2.2.4).
 */
function ackOptions(
  { request, isAlone }: { request: OutgoingInviteRequest | undefined; isAlone: boolean },
  { body }: IncomingResponseMessage,
) {
  const extraHeaders = ["Authorization", "Proxy-Authorization"].flatMap((name) =>
    (request?.message.headers[name] ?? []).map((value) => `${name}: ${value}`)
  );
  return { extraHeaders, ...isAlone && body !== "" && { body: sdpBody(sdpWithoutMedia(body)) } };
}

type Prack = (options: { extraHeaders: string[] }) => unknown;

/** Handles a provisional response: sends PRACK where it is reliable, and keeps its SDP. */
function takeProvisional(
  fork: State,
  events: ForkEvents,
  { message, session, prack }: {
    message: IncomingResponseMessage;
    session: Session;
    prack: Prack;
  },
): void {
  follow(fork);
  const isReliable = hasOption(message, "require", "100rel");
  if (isReliable) refreshTarget(session, message);
  keepEarly(fork, events, { message, session, isReliable });
  if (isReliable) acknowledge(message, prack);
}

/** PRACK (RFC 3262 §4); the library has dropped what came twice or out of order. */
function acknowledge(message: IncomingResponseMessage, prack: Prack): void {
  const rseq = message.getHeader("rseq");
  if (rseq === undefined) return;
  prack({ extraHeaders: [`RAck: ${rseq} ${message.cseq} INVITE`] });
}

/** Of so many alone: a peer may ring any number of others. */
function keepEarly(
  fork: State,
  events: ForkEvents,
  { message, session, isReliable }: {
    message: IncomingResponseMessage;
    session: Session;
    isReliable: boolean;
  },
): void {
  const { toTag, body } = message;
  const all = fork.early ??= new Map();
  const known = all.get(toTag);
  if (known === undefined && (fork.over || all.size >= sipLimits.earlyAnswers)) return;
  const early = known ??
    { sdp: "", isAnswer: false, later: undefined, session, dialog: undefined };
  if (known === undefined) {
    all.set(toTag, early);
    const knowsUpdate = allows(message, "UPDATE");
    fork.signalling.early.set(session.id, () => adoptEarly(events, early, knowsUpdate));
  }
  if (body === "" || early.isAnswer) return;
  early.sdp = body;
  early.isAnswer = isReliable;
}

const adoptEarly = (events: ForkEvents, early: Early, knowsUpdate: boolean): Dialog | undefined =>
  early.dialog ??= events.onEarly?.({
    session: early.session,
    knowsUpdate,
    answer: () => early.isAnswer ? early.sdp : undefined,
    onOffered(offer, answer) {
      early.later = { offer, answer };
    },
  });

/** A softphone that came back by a new connection answers by that, and is to get the ACK there. */
function follow(fork: State): void {
  const { flow: before, device: { trunk, routeSet }, request } = fork;
  fork.flow = currentFlow();
  const isProxied = trunk !== undefined || routeSet.length > 0;
  if (fork.flow === before || isProxied || before.transport.protocol === "UDP") return;
  if (request !== undefined) moveTransaction(request, fork.flow);
}
