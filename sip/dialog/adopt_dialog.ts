import { type Session, SessionDialog, SessionState } from "../stack/library/sip_js.ts";
import { type Flow, type Hop, withFlow } from "../base/flow.ts";
import { sendRequest } from "./in_dialog.ts";
import type { DialogEvents } from "../contracts/dialog_events.ts";
import type { Binding } from "../identity/location.ts";
import { hopOf } from "../registrar/path.ts";
import type { OfferAnswer } from "../contracts/dialog_events.ts";
import { sendOffer } from "./offer.ts";
import { type Acknowledged, SessionEvents } from "./session_events.ts";
import { createSessionTimer, type SessionTimer, unagreedS } from "../contracts/session_timer.ts";
import { mayGoBy } from "../identity/secure.ts";
import { guard } from "../base/log.ts";
import type { Signalling } from "../contracts/signalling.ts";
import type { Trunk } from "../contracts/trunk.ts";
import { probe, refreshSession } from "./update.ts";

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
  /** Of each thing that concerns the flow. */
  stopWatching: (() => void)[];
}

/** Takes charge of a session of the library, from its first response on. */
export function adoptDialog(signalling: Signalling, session: Session, peer: DialogPeer): Dialog {
  const dialog = new DialogOfSession(signalling, session, peer);
  const { state } = dialog;
  session.delegate = new SessionEvents(signalling, dialog);
  signalling.dialogs.set(session.id, dialog);
  state.stopWatching.push(signalling.flowWatchers.add((lost) => onFlowLost(state, lost)));
  return dialog;
}

/** A class for the reason that `inbound_leg.ts` gives. */
class DialogOfSession implements Acknowledged {
  readonly login: string | undefined;
  readonly trunk: Trunk | undefined;
  readonly leg: string;
  flow: Flow;
  readonly isSecure: boolean;
  readonly knowsUpdate: boolean;
  readonly events: DialogEvents;
  readonly hop: Hop | undefined;
  localSdp = "";
  settle: OfferAnswer["settle"] = undefined;
  readonly timer: SessionTimer;
  readonly state: State;

  constructor(signalling: Signalling, readonly session: Session, peer: DialogPeer) {
    const { login, flow, trunk } = peer;
    const binding = bindingsOf(signalling, login).find((one) => one.flow === flow);
    this.login = login;
    this.trunk = trunk;
    this.leg = peer.leg;
    this.flow = flow;
    this.isSecure = peer.isSecure;
    this.knowsUpdate = peer.knowsUpdate;
    this.events = peer.events;
    this.hop = trunk ?? (binding && hopOf(signalling, binding));
    this.timer = createSessionTimer({
      timers: signalling.timers,
      refresh: (seconds) => (follow(this.state), refreshSession(signalling, this, seconds)),
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
      stopWatching: [],
    };
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
    follow(this.state);
    return sendOffer(this.state.signalling, this, { sdp, signal });
  }
  request(method: "info" | "refer" | "notify", message: InDialogMessage) {
    follow(this.state);
    return sendRequest(this.state.signalling, this, { method, ...message });
  }
  probe() {
    follow(this.state);
    return probe(this.state.signalling, this);
  }
  abandon() {
    finish(this.state);
  }
  onAck(body: string) {
    onAck(this.state, body);
  }
  onSilence() {
    this.state.leaving = true;
    sendBye(this.state);
    this.events.onLost("no-ack");
  }
}

function onFlowLost(state: State, lost: Flow): void {
  const { dialog } = state;
  if (dialog.flow === lost && !follow(state)) void reachAgain(dialog);
}

/** The first ACK confirms the dialog; a later one may bring the answer to an offer of ours. */
function onAck(state: State, body: string): void {
  const { dialog, confirmed } = state;
  state.confirmed = true;
  state.acknowledged.resolve();
  if (state.leaving) return sendBye(state);
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
  follow(state);
  // A caller may not be sent BYE before its ACK (RFC 3261 §15).
  const acknowledged = dialog.session.sessionState !== SessionState.AckWait;
  if (acknowledged) guard(signalling.log, sendBye)(state);
  return finished.promise;
}

function sendBye(state: State): void {
  const done = () => finish(state);
  const { lastWords: { content, reason }, signalling, dialog } = state;
  // No response comes to a BYE on a connection that has closed.
  const onClosed = (closed: Flow) => void (dialog.flow === closed && finish(state));
  state.stopWatching.push(signalling.closeWatchers.add(onClosed));
  withFlow(dialog.flow, () => {
    dialog.session.bye(
      { onAccept: done, onReject: done, onRedirect: done },
      {
        ...content && { body: { ...content, contentDisposition: "render" } },
        ...reason && { extraHeaders: [`Reason: ${reason}`] },
      },
    );
  });
}

function finish({ signalling, dialog, finished, stopWatching }: State): void {
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

/** A call outlives its connection to a trunk or proxy, which may close one that is idle. */
async function reachAgain(dialog: Dialog): Promise<void> {
  const { flow: lost, hop } = dialog;
  try {
    if (hop === undefined) return dialog.events.onLost("connection-lost");
    const flow = await hop.reach();
    if (dialog.flow !== lost) return;
    if (mayGoBy(dialog, flow)) dialog.flow = flow;
    else dialog.events.onLost("connection-lost");
  } catch {
    if (dialog.flow === lost) dialog.events.onLost("connection-lost");
  }
}
