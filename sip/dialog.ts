import { type Session, type SessionDelegate, SessionState } from "sip.js/lib/core/index.js";
import { type Flow, withFlow } from "./flow.ts";
import { answerReinvite, sendOffer } from "./offer.ts";
import { guard, type Signalling } from "./signalling.ts";

/** What a leg wants to know about its dialog. */
export interface DialogEvents {
  /** The peer hung up; its BYE is answered. */
  onBye(): void;
  /** The connection is gone and the softphone did not come back, or never acknowledged. */
  onLost(): void;
  /** ACK to our 2xx, with the peer's answer when the offer was ours. */
  onAck?(sdp: string): void;
  /** Our answer to an offer in the dialog, or our offer when it brings none; throws for 488. */
  onOffer(sdp: string | undefined): Promise<string>;
}

export interface DialogPeer {
  /** The Client at the other end. */
  readonly login: string;
  /** Where requests go; moves along when the softphone comes by a new connection. */
  flow: Flow;
  readonly events: DialogEvents;
}

/** One dialog with a softphone (RFC 3261 §12). Commands never throw once it is over. */
export interface Dialog extends DialogPeer {
  readonly session: Session;
  /** Says BYE, once the peer has our ACK or we have its; resolves when it is answered. */
  bye(): Promise<void>;
  /** Offers in the dialog; resolves with the answer, rejects when the peer refuses. */
  reinvite(sdp: string): Promise<string>;
  /** The INVITE was refused after all: an early dialog ends with it (§12.3). */
  abandon(): void;
}

interface State {
  readonly signalling: Signalling;
  readonly dialog: Dialog;
  /** The key of the binding that the dialog began with. */
  readonly device: string | undefined;
  readonly finished: PromiseWithResolvers<void>;
  leaving: boolean;
  onFlowLost(lost: Flow): void;
}

/** Takes charge of a session of the library, from its first response on. */
export function adoptDialog(signalling: Signalling, session: Session, peer: DialogPeer): Dialog {
  const dialog: Dialog = {
    ...peer,
    session,
    bye: () => leave(state),
    reinvite: (sdp) => sendOffer(signalling, dialog, sdp),
    abandon: () => finish(state),
  };
  const { login, flow } = peer;
  const state: State = {
    signalling,
    dialog,
    device: signalling.location.find(login).find((binding) => binding.flow === flow)?.key,
    finished: Promise.withResolvers(),
    leaving: false,
    onFlowLost(lost) {
      if (dialog.flow === lost && !move(state)) dialog.events.onLost();
    },
  };
  session.delegate = delegateOf(state);
  signalling.dialogs.set(session.id, dialog);
  signalling.flowWatchers.add(state.onFlowLost);
  return dialog;
}

function delegateOf(state: State): SessionDelegate {
  const { signalling, dialog } = state;
  const { log } = signalling;
  return {
    onAck: guard(log, ({ message }) => {
      if (state.leaving) sendBye(state);
      else dialog.events.onAck?.(message.body);
    }),
    onAckTimeout: guard(log, () => {
      state.leaving = true;
      sendBye(state);
      dialog.events.onLost();
    }),
    onBye: guard(log, (request) => {
      request.accept();
      finish(state);
      dialog.events.onBye();
    }),
    onInvite: guard(log, (request) => void answerReinvite(signalling, dialog, request)),
    // Digits that come so are not taken up; RFC 4733 carries them in the media.
    onInfo: guard(log, (request) => void request.accept()),
  };
}

function leave(state: State): Promise<void> {
  const { signalling, dialog, finished } = state;
  if (state.leaving || !signalling.dialogs.has(dialog.session.id)) return finished.promise;
  state.leaving = true;
  if (dialog.flow.closed) move(state);
  // A caller may not be sent BYE before its ACK (RFC 3261 §15).
  const acknowledged = dialog.session.sessionState !== SessionState.AckWait;
  if (acknowledged) guard(signalling.log, sendBye)(state);
  return finished.promise;
}

function sendBye(state: State): void {
  const done = () => finish(state);
  withFlow(state.dialog.flow, () => {
    state.dialog.session.bye({ onAccept: done, onReject: done, onRedirect: done });
  });
}

function finish({ signalling, dialog, finished, onFlowLost }: State): void {
  signalling.dialogs.delete(dialog.session.id);
  signalling.flowWatchers.delete(onFlowLost);
  finished.resolve();
}

/** Takes up the connection by which the same device registered again; false if it did not. */
function move({ signalling, dialog, device }: State): boolean {
  const binding = signalling.location.find(dialog.login).find(({ key }) => key === device);
  if (binding !== undefined) dialog.flow = binding.flow;
  return binding !== undefined;
}
