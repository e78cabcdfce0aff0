import { steadyNow } from "../../core/base/steady_clock.ts";
import type { Invitation } from "../../core/protocol/script.ts";
import type { Dialog, LastWords } from "../contracts/dialog.ts";
import type { Fork } from "../contracts/fork.ts";
import type { Wiring } from "./in_dialog.ts";
import type { CallerDemands } from "../contracts/caller.ts";
import type { Said } from "../contracts/calls.ts";
import type { LegEnd } from "../contracts/leg.ts";
import type { MediaEngine, MediaKind, MediaLeg } from "../media/mod.ts";
import { byService, type Ending } from "../contracts/outcome.ts";
import type { Signalling } from "../contracts/signalling.ts";

export interface OutboundCall {
  invitation: Invitation;
  /** Whole header lines for the INVITE, beside those of the invitation. */
  headers: string[];
  /** Of the caller that it is placed for. */
  demands: CallerDemands;
  /** The service knows of the leg of a dial only by `onInviting`. */
  isChild: boolean;
  timeoutMs: number;
  maxForwards: number;
  /** The engine anchors the audio here; an offer is the caller's, passed through. */
  media: { engine: MediaEngine } | { offer: string };
  /** Of a Client, the devices that take this kind of media alone. */
  only?: MediaKind;
  /** Requests admission of the INVITE from the service; resolves with its refusal. Absent: admitted. */
  admit?(sipCallId: string): Promise<{ status: number; text?: string | undefined } | undefined>;
  /** The INVITEs, all with this Call-ID, are about to go out; of a child's there may be none. */
  onInviting(sipCallId: string): void;
  /** The first device rings. */
  onRinging(): void;
  /** No trunk has shown a sign of life for a while: others are tried, which lasts. */
  onSearching?(): void;
  /** Every provisional response, with its early SDP; empty where there is none to pass on. */
  onProgress?(status: number, early: Said): void;
  /** The one device called sends sound before it answers. */
  onEarlyMedia?(media: MediaLeg): void;
}

/** A leg while it lives: from the forks of its INVITE, one becomes its dialog. */
export interface OutboundState {
  readonly signalling: Signalling;
  readonly call: OutboundCall;
  readonly callId: string;
  readonly over: LegEnd;
  readonly released: PromiseWithResolvers<void>;
  readonly answered: PromiseWithResolvers<boolean>;
  /** Final responses that were refusals: what the first of each status said. */
  readonly refusals: Map<number, { words: string; isUnanswered: boolean }>;
  /** The offer that was refused last, and the refusal; undefined before. */
  unwanted: string | undefined;
  forks: Fork[];
  winner: Fork | undefined;
  /** Media of ours that the callee agreed to after its answer, whose SDP had passed by us. */
  anchored: MediaLeg | undefined;
  dialog: Dialog | undefined;
  answeredAt: number | undefined;
  /** Time of the INVITE that a trunk answered, in ms of the steady clock; undefined for other callees. */
  invitedAt: number | undefined;
  remoteSdp: string;
  responseHeaders: Record<string, string>;
  ringing: boolean;
  /** Resolves when our media have taken the early SDP, and followed later offers, or cannot. */
  early: Promise<void> | undefined;
  readonly wiring: Wiring;
  /** The Gateway that its last INVITE left by. */
  gateway?: NonNullable<Ending["gateway"]>;
  stopTimeout(): void;
}

/** CANCEL to every device but the one that has the call (RFC 3261 §9.1). */
export function cancelForks({ forks, winner }: OutboundState, reason?: string): void {
  for (const fork of forks) if (fork !== winner) fork.cancel(reason);
}

/** Ends the leg as unanswered after its time-out, which began at `from`. */
export function startTimeout(state: OutboundState, from = steadyNow()): void {
  const { signalling: { timers }, call: { timeoutMs } } = state;
  state.stopTimeout();
  state.stopTimeout = timers.after(Math.max(from + timeoutMs - steadyNow(), 0), () => {
    cancelForks(state);
    finish(state, { outcome: "no-answer", sipStatus: 408, ...byService("timeout") });
  });
}

/** BYE to the device that answered. */
export function bye(state: OutboundState, ending: Ending, words?: LastWords): void {
  void state.dialog?.bye(words).then(state.released.resolve);
  finish(state, ending);
}

/** Ends the leg, once. */
export function finish(state: OutboundState, ending: Ending): void {
  const { gateway } = state;
  if (!state.over.end({ ...ending, ...gateway && { gateway } })) return;
  state.stopTimeout();
  state.answered.resolve(false);
  closeMedia(state);
  if (state.dialog === undefined) state.released.resolve();
}

export function closeMedia({ forks, anchored }: OutboundState): void {
  anchored?.close();
  for (const { media } of forks) media?.close();
}
