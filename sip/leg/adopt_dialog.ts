import {
  type IncomingResponseMessage,
  type Session,
  SessionDialog,
  SessionState,
} from "../base/sip_js.ts";
import { type Flow, type Hop, withFlow } from "../base/flow.ts";
import { awakeNow } from "../../core/base/steady_clock.ts";
import { sendRequest } from "./in_dialog.ts";
import type { DialogEvents } from "../contracts/dialog_events.ts";
import type { Binding } from "../text/location.ts";
import { hopOf } from "../registrar/path.ts";
import type { OfferAnswer } from "../contracts/dialog_events.ts";
import { sendOffer } from "./offer.ts";
import { type Acknowledged, SessionEvents } from "./session_events.ts";
import { createSessionTimer, type SessionTimer, unagreedS } from "../contracts/session_timer.ts";
import { mayGoBy } from "../text/secure.ts";
import { guard } from "../base/log.ts";
import type { Signalling } from "../contracts/signalling.ts";
import type { Trunk } from "../contracts/trunk.ts";
import { probe, refreshSession } from "./update.ts";
import { reachPeer } from "./reconnect.ts";

import type { Dialog, DialogPeer, InDialogMessage, LastWords } from "../contracts/dialog.ts";

interface State {
  readonly signalling: Signalling;
  readonly dialog: Dialog;
  /** The key of the binding that the dialog began with. */
  readonly device: string | undefined;
  readonly finished: PromiseWithResolvers<void>;
  readonly acknowledged: PromiseWithResolvers<void>;
  confirmed: boolean;
  leaving: boolean;
  lastWords: LastWords;
  /** BYE was sent, and may have come. */
  parted: boolean;
  byes: number;
  /** The connection is lost, and there is no other way to the peer. */
  isLost: boolean;
  isOver: boolean;
  /** A new connection is being made. */
  regaining: Promise<void> | undefined;
  /** Of each thing that concerns the flow. */
  stopWatching: (() => void)[];
}

/** Takes charge of a session of the library, from its first response on. */
export function adoptDialog(signalling: Signalling, session: Session, peer: DialogPeer): Dialog {
  const dialog = new DialogOfSession(signalling, session, peer);
  const { state } = dialog;
  session.delegate = new SessionEvents(signalling, dialog);
  signalling.dialogs.set(session.id, dialog);
  state.stopWatching.push(signalling.flowWatchers.add((lost) => void onFlowLost(state, lost)));
  return dialog;
}

/** A class for the reason that `inbound_leg.ts` gives. */
class DialogOfSession implements Acknowledged {
  readonly login: string | undefined;
  readonly trunk: Trunk | undefined;
  readonly leg: string;
  #flow: Flow;
  readonly isSecure: boolean;
  readonly knowsUpdate: boolean;
  readonly events: DialogEvents;
  readonly hop: Hop | undefined;
  localSdp = "";
  heardAt = awakeNow();
  settle: OfferAnswer["settle"] = undefined;
  readonly timer: SessionTimer;
  readonly state: State;

  constructor(signalling: Signalling, readonly session: Session, peer: DialogPeer) {
    const { login, flow, trunk } = peer;
    const binding = bindingsOf(signalling, login).find((one) => one.flow === flow);
    this.login = login;
    this.trunk = trunk;
    this.leg = peer.leg;
    this.#flow = flow;
    flow.dialogs++;
    this.isSecure = peer.isSecure;
    this.knowsUpdate = peer.knowsUpdate;
    this.events = peer.events;
    this.hop = trunk ?? (binding && hopOf(signalling, binding));
    this.timer = createSessionTimer({
      timers: signalling.timers,
      refresh: (seconds) => this.#byWay(() => refreshSession(signalling, this, seconds)),
      expired: () => this.events.onLost("session-timer"),
      unagreedS: () => unagreedS(this, signalling.sessionBounds),
    });
    this.state = {
      signalling,
      dialog: this,
      device: binding?.key,
      finished: Promise.withResolvers(),
      acknowledged: Promise.withResolvers(),
      confirmed: false,
      leaving: false,
      lastWords: {},
      parted: false,
      byes: 0,
      isLost: false,
      isOver: false,
      regaining: undefined,
      stopWatching: [],
    };
  }
  get flow() {
    return this.#flow;
  }
  set flow(flow: Flow) {
    if (!this.state.isOver) {
      this.#flow.dialogs--;
      flow.dialogs++;
    }
    this.#flow = flow;
  }
  confirmed() {
    return this.session.sessionState === SessionState.Confirmed
      ? Promise.resolve()
      : this.state.acknowledged.promise;
  }
  bye(words: LastWords = {}) {
    if (!this.state.leaving) this.state.lastWords = words;
    return leave(this.state);
  }
  reinvite(sdp: string | undefined, signal?: AbortSignal) {
    return this.#byWay(() => sendOffer(this.state.signalling, this, { sdp, signal }));
  }
  request(method: "info" | "refer" | "notify", message: InDialogMessage) {
    return this.#byWay(() => sendRequest(this.state.signalling, this, { method, ...message }));
  }
  probe() {
    return this.#byWay(() => probe(this.state.signalling, this));
  }
  abandon() {
    finish(this.state);
  }
  onAck(body: string) {
    onAck(this.state, body);
  }
  onSilence() {
    this.state.leaving = true;
    sayBye(this.state);
    this.events.onLost("no-ack");
  }
  /** Sends at once while the connection is open, else once there is another one, or none to be had. */
  #byWay<T>(send: () => Promise<T>): Promise<T> {
    return follow(this.state) ? send() : regain(this.state).then(send);
  }
}

/** The time for reconnecting is over: without another way to the peer, its call is. */
async function onFlowLost(state: State, lost: Flow): Promise<void> {
  const { signalling, dialog } = state;
  if (dialog.flow !== lost || state.parted) return;
  if (!follow(state)) await regain(state);
  // Without its ACK, a call that is to end waits for the end of its INVITE.
  if (state.isOver || state.parted || state.leaving && isUnacknowledged(state)) return;
  if (state.leaving) return dialog.flow.closed ? giveUp(state) : sendBye(state);
  if (dialog.flow !== lost) return;
  state.isLost = true;
  guard(signalling.log, () => dialog.events.onLost("connection-lost"))();
}

/** The first ACK confirms the dialog; a later one may bring the answer to an offer of ours. */
function onAck(state: State, body: string): void {
  const { dialog, confirmed } = state;
  state.confirmed = true;
  state.acknowledged.resolve();
  if (state.leaving) return sayBye(state);
  // An answer that did not come leaves all as it was.
  if (body === "" && dialog.session instanceof SessionDialog) {
    dialog.session.signalingStateRollback();
  }
  const { settle } = dialog;
  dialog.settle = undefined;
  if (settle !== undefined) {
    void Promise.try(settle, body).catch((error) => {
      state.signalling.log("Cannot process an SDP answer", {
        leg: dialog.leg,
        error: String(error),
      });
      dialog.events.onUnfollowed(error);
    });
  } else if (!confirmed) dialog.events.onAck?.(body);
}

function leave(state: State): Promise<void> {
  const { signalling, dialog, finished } = state;
  if (state.leaving || !signalling.dialogs.has(dialog.session.id)) return finished.promise;
  state.leaving = true;
  dialog.timer.stop();
  // A caller may not be sent BYE before its ACK (RFC 3261 §15).
  if (!isUnacknowledged(state)) sayBye(state);
  return finished.promise;
}

const isUnacknowledged = ({ dialog: { session } }: State): boolean =>
  session.sessionState === SessionState.AckWait;

/** Sends BYE; to a softphone whose connection is lost, once it is back. */
function sayBye(state: State): void {
  const { signalling: { timers, reconnectGraceMs }, dialog, stopWatching } = state;
  if (follow(state)) return sendBye(state);
  if (state.isLost) return giveUp(state);
  const onLate = async () => {
    await state.regaining; // Each address of the peer has its own time to take a connection.
    if (!state.parted) follow(state) ? sendBye(state) : giveUp(state);
  };
  stopWatching.push(timers.after(reconnectGraceMs, () => void onLate()));
  void regain(state).then(() => !dialog.flow.closed && sendBye(state));
}

/** Ends the dialog without a BYE, as there is no way to the peer. */
function giveUp(state: State): void {
  if (state.isOver) return;
  const { signalling: { log }, dialog: { leg, trunk, flow: { remote } } } = state;
  // A softphone often goes away; a trunk may go on with the call, and bill it.
  if (trunk !== undefined) {
    log("Cannot send BYE: no connection to the trunk can be made", { leg, peer: remote.host });
  }
  state.dialog.session.dispose();
  finish(state);
}

function sendBye(state: State): void {
  if (state.parted || state.isOver) return;
  const { lastWords: { content, reason }, signalling, dialog } = state;
  const sentBy = dialog.flow;
  const which = ++state.byes;
  state.parted = true;
  const done = () => finish(state);
  // The peer may not have the BYE. It gets another one by another connection, once.
  const lose = () => {
    if (which < state.byes || !state.parted) return;
    if (which > 1) return done();
    state.parted = false;
    sayBye(state);
  };
  const onClosed = (closed: Flow) => void (closed === sentBy && lose());
  state.stopWatching.push(signalling.closeWatchers.add(onClosed));
  // The library makes a response of its own of a connection that has closed.
  const refused = ({ message }: { message: IncomingResponseMessage }) =>
    sentBy.closed && !message.hasHeader("via") ? lose() : done();
  const say = () =>
    dialog.session.bye(
      { onAccept: done, onReject: refused, onRedirect: done },
      {
        ...content && { body: { ...content, contentDisposition: "render" } },
        ...reason && { extraHeaders: [`Reason: ${reason}`] },
      },
    );
  guard(signalling.log, () => withFlow(sentBy, say))();
}

function finish(state: State): void {
  const { signalling, dialog, finished, stopWatching } = state;
  if (state.isOver) return;
  state.isOver = true;
  dialog.flow.dialogs--;
  dialog.timer.stop();
  signalling.dialogs.delete(dialog.session.id);
  for (const stop of stopWatching) stop();
  finished.resolve();
}

/** Goes on where the same device registered again, once its connection closed; false if nowhere. */
function follow({ signalling, dialog, device }: State): boolean {
  if (!dialog.flow.closed) return true;
  const binding = bindingsOf(signalling, dialog.login).find(({ key }) => key === device);
  if (binding === undefined || binding.flow.closed || !mayGoBy(dialog, binding.flow)) return false;
  dialog.flow = binding.flow;
  return true;
}

const bindingsOf = ({ location }: Signalling, login: string | undefined): Binding[] =>
  login === undefined ? [] : location.find(login);

/** Makes a new connection to the peer, where it can be had. Never rejects. */
function regain(state: State): Promise<void> {
  const { signalling, dialog } = state;
  const connect = async () => {
    const { flow: lost } = dialog;
    try {
      const flow = await reachPeer(signalling, dialog);
      if (dialog.flow === lost && mayGoBy(dialog, flow)) dialog.flow = flow;
    } catch {
      // A softphone may still come back by itself.
    } finally {
      state.regaining = undefined;
    }
  };
  return state.regaining ??= connect();
}
