import {
  type IncomingResponseMessage,
  InviteUserAgentClient,
  type OutgoingInviteRequest,
  type OutgoingInviteRequestDelegate,
  type OutgoingRequestMessage,
  type Session,
} from "sip.js/lib/core/index.js";
import { currentFlow, type Flow, withFlow } from "./flow.ts";
import type { ForkInvite } from "./fork_invite.ts";
import { sipLimits } from "./limits.ts";
import { type Binding, targetOf } from "./location.ts";
import type { MediaLeg } from "./media/port.ts";
import { guard, sdpBody, type Signalling } from "./signalling.ts";
import { allowHeader, contactHeader } from "./user_agent_core.ts";

export interface ForkEvents {
  onProgress(status: number, sdp: string): void;
  /** 2xx, already acknowledged; the first of the fork. */
  onAnswer(session: Session, sdp: string): void;
  onRefused(status: number): void;
}

/** The INVITE to one device of the Client called (RFC 3261 §13.2). */
export interface Fork {
  readonly media: MediaLeg | undefined;
  /** Where the device was heard last. */
  readonly flow: Flow;
  /** Refused, answered or given up. */
  readonly over: boolean;
  send(events: ForkEvents): void;
  /** CANCEL; what the device still says is left to the events. */
  cancel(reason?: string): void;
}

/** A way to a device, with the SDP to offer: of our media, or the caller's. */
export interface Device {
  binding: Binding;
  offer: string;
  media: MediaLeg | undefined;
}

interface State {
  readonly signalling: Signalling;
  flow: Flow;
  over: boolean;
  request: OutgoingInviteRequest | undefined;
  stopGivingUp(): void;
  onFlowLost(lost: Flow): void;
}

export function createFork(signalling: Signalling, invite: ForkInvite, device: Device): Fork {
  const state: State = {
    signalling,
    flow: device.binding.flow,
    over: false,
    request: undefined,
    stopGivingUp() {},
    onFlowLost() {},
  };
  return {
    media: device.media,
    get flow() {
      return state.flow;
    },
    get over() {
      return state.over;
    },
    send(events) {
      watchFlow(state, events);
      withFlow(state.flow, () => {
        const message = inviteMessage(signalling, invite, device);
        state.request = signalling.core.invite(message, delegateOf(state, events));
      });
    },
    cancel(reason) {
      if (state.over) return;
      guard(signalling.log, () => {
        withFlow(state.flow, () => state.request?.cancel(reason));
      })();
      // After 64*T1 a cancelled transaction counts as over, answered or not (§9.1).
      state.stopGivingUp = signalling.timers.after(sipLimits.cancelGraceMs, () => giveUp(state));
    },
  };
}

function inviteMessage(
  { core, domain }: Signalling,
  { callId, from, to, maxForwards, headers }: ForkInvite,
  { binding, offer }: Device,
): OutgoingRequestMessage {
  const ours = [contactHeader(domain), allowHeader, ...headers];
  // The proxies that the registration came by are the way back (RFC 3327 §5.3).
  const ids = { callId, routeSet: [...binding.path] };
  const body = sdpBody(offer);
  const uri = targetOf(binding);
  const message = core.makeOutgoingRequestMessage("INVITE", uri, from, to, ids, ours, body);
  message.setHeader("max-forwards", String(maxForwards));
  return message;
}

const statusOf = (message: IncomingResponseMessage): number => message.statusCode ?? 500;

function delegateOf(state: State, events: ForkEvents): OutgoingInviteRequestDelegate {
  const { log } = state.signalling;
  const refused = guard(log, ({ message }: { message: IncomingResponseMessage }) => {
    close(state);
    events.onRefused(statusOf(message));
  });
  return {
    onProgress: guard(log, ({ message }) => {
      state.flow = currentFlow();
      events.onProgress(statusOf(message), message.body);
    }),
    onAccept: guard(log, ({ message, session, ack }) => {
      state.flow = currentFlow();
      close(state);
      ack();
      events.onAnswer(session, message.body);
    }),
    onReject: refused,
    onRedirect: refused,
  };
}

/** A device whose connection is gone for good cannot answer any more. */
function watchFlow(state: State, events: ForkEvents): void {
  state.onFlowLost = (lost) => {
    if (lost !== state.flow) return;
    giveUp(state);
    events.onRefused(480);
  };
  state.signalling.flowWatchers.add(state.onFlowLost);
}

function close(state: State): void {
  state.over = true;
  state.stopGivingUp();
  state.signalling.flowWatchers.delete(state.onFlowLost);
}

/** Drops the transaction, which would otherwise wait for its final response for ever. */
function giveUp(state: State): void {
  close(state);
  const { request, signalling: { core } } = state;
  if (!(request instanceof InviteUserAgentClient)) return;
  core.userAgentClients.delete(`${request.transaction.id}INVITE`);
  request.dispose();
}
