import type { Session } from "sip.js/lib/core/index.js";
import { adoptDialog, type Dialog, type DialogEvents } from "./dialog.ts";
import type { Flow } from "./flow.ts";
import { createDeviceFork, type ReachableDevice } from "./device_fork.ts";
import type { Fork } from "./fork.ts";
import { calledUser, forkInvite } from "./fork_invite.ts";
import type { Flows } from "./location.ts";
import { answerOffer } from "./offer.ts";
import { sipLimits } from "./limits.ts";
import { bestStatus, outcomeOf } from "./outcome.ts";
import {
  bye,
  cancelForks,
  closeMedia,
  finish,
  type OutboundCall,
  type OutboundState,
} from "./outbound_state.ts";

/** Why a device stops ringing when another was quicker (RFC 3326). */
export const answeredElsewhere = 'SIP;cause=200;text="Call completed elsewhere"';

/** Sends the INVITE to every device, and follows what they say. */
export async function ring(state: OutboundState): Promise<void> {
  const { signalling, call, callId, over } = state;
  const { target } = call.invitation;
  if (target.kind !== "client") {
    if (call.isChild) call.onInviting(callId);
    const hasRoute = target.kind === "number" || target.routes.length > 0;
    return finish(state, { outcome: "failed", sipStatus: hasRoute ? 501 : 404 });
  }
  const known = signalling.location.devices(target.login);
  if (known.length > 0 || call.isChild) call.onInviting(callId);
  if (known.length === 0) {
    return finish(state, { outcome: "failed", sipStatus: 480, reason: "not-registered" });
  }
  const { invitation, maxForwards } = call;
  const invite = forkInvite(signalling.domain, { invitation, maxForwards, callId });
  const devices = await withMedia(state, known);
  state.forks = devices.map((device) => createDeviceFork(signalling, invite, device));
  if (over.signal.aborted) return closeMedia(state);
  for (const fork of state.forks) {
    fork.send({
      onProgress: (status, sdp) => onProgress(state, status, sdp),
      onAnswer: (session, sdp) => onAnswer(state, fork, { session, sdp }),
      onRefused: (status) => onRefused(state, fork, status),
    });
  }
}

/** The devices that media could be had for; rejects when there is none. */
async function withMedia(
  { signalling: { log }, call }: OutboundState,
  known: Flows[],
): Promise<ReachableDevice[]> {
  const offers = await Promise.allSettled(known.map((flows) => offerTo(call, flows)));
  const devices = offers.flatMap((offer) => offer.status === "fulfilled" ? offer.value : []);
  const failure = offers.find((offer) => offer.status === "rejected");
  if (failure === undefined) return devices;
  if (devices.length === 0) throw failure.reason;
  const { leg } = call.invitation;
  log("Cannot offer media to every device", { leg, error: String(failure.reason) });
  return devices;
}

async function offerTo({ media }: OutboundCall, flows: Flows): Promise<ReachableDevice> {
  if ("offer" in media) return { flows, offer: media.offer, media: undefined };
  const ours = await media.engine.offer();
  return { flows, offer: ours.localSdp, media: ours };
}

function onProgress(state: OutboundState, status: number, sdp: string): void {
  if (state.winner !== undefined || state.over.signal.aborted) return;
  if (!state.ringing) state.call.onRinging();
  state.ringing = true;
  state.call.onProgress?.(status, sdp);
}

function onRefused(state: OutboundState, fork: Fork, status: number): void {
  fork.media?.close();
  state.refusals.push(status);
  if (state.winner !== undefined || !state.forks.every(({ over }) => over)) return;
  const best = bestStatus(state.refusals);
  finish(state, { outcome: outcomeOf(best), sipStatus: best });
}

function onAnswer(
  state: OutboundState,
  fork: Fork,
  answer: { session: Session; sdp: string },
): void {
  if (state.winner !== undefined || state.over.signal.aborted) {
    return refuseAnswer(state, fork, answer.session);
  }
  state.winner = fork;
  state.stopTimeout();
  cancelForks(state, answeredElsewhere);
  for (const other of state.forks) if (other !== fork) other.media?.close();
  state.dialog = adopt(state, answer.session, { flow: fork.flow, events: dialogEvents(state) });
  state.remoteSdp = answer.sdp;
  void takeAnswer(state, fork, answer.sdp);
}

/** A CANCEL crossed this answer: it was accepted, so it is ended with BYE (§13.2.2.4). */
function refuseAnswer(state: OutboundState, { flow, media }: Fork, session: Session): void {
  const events = { onBye() {}, onLost() {}, onOffer: () => Promise.reject(new Error("over")) };
  void adopt(state, session, { flow, events }).bye();
  media?.close();
}

function adopt(
  { signalling, call: { invitation } }: OutboundState,
  session: Session,
  peer: { flow: Flow; events: DialogEvents },
): Dialog {
  return adoptDialog(signalling, session, { ...peer, login: calledUser(invitation.target) });
}

async function takeAnswer(state: OutboundState, { media }: Fork, sdp: string): Promise<void> {
  try {
    await media?.accept(sdp);
  } catch {
    return bye(state, { outcome: "failed", sipStatus: 488 });
  }
  if (state.over.signal.aborted) return;
  void media?.lost.then(() => mediaLost(state));
  state.answeredAt = Date.now();
  state.answered.resolve(true);
}

/** A browser that hangs up may close its media a moment before its BYE comes. */
function mediaLost(state: OutboundState): void {
  const { timers } = state.signalling;
  const lose = () => bye(state, { outcome: "completed", reason: "media-lost" });
  const stop = timers.after(sipLimits.byeGraceMs, lose);
  void state.over.ended.then(stop);
}

function dialogEvents(state: OutboundState): DialogEvents {
  return {
    onBye() {
      finish(state, { outcome: "completed" });
      state.released.resolve();
    },
    onLost: () => bye(state, { outcome: "completed" }),
    onOffer: (sdp) => answerOffer(sdp, { relay: state.onOffer, media: state.winner?.media }),
  };
}
