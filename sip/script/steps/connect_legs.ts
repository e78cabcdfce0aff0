import type { Action } from "../../../core/protocol/action.ts";
import type { ServiceCause } from "../../../core/protocol/disconnection.ts";
// from "../../../core/protocol/action.ts";
import { unlessAborted, whenAborted } from "../../../core/base/abort.ts";
import { anchorCallee } from "../../leg/anchor.ts";
import { createHoldReporter } from "../../leg/hold.ts";
import type { InboundLeg, Leg } from "../../contracts/leg.ts";
import { staysDirect } from "../../leg/media_relay.ts";
import type { MediaLeg } from "../../media/mod.ts";
import type { LiveLeg } from "../../contracts/live_leg.ts";
import type { ScriptRun } from "./script_run.ts";
import { passThrough } from "./proxy.ts";

/** A leg that a step controls; the signal aborts when the leg ends or another step takes it. */
export interface HeldLeg<L extends Leg = LiveLeg["leg"]> {
  live: LiveLeg & { leg: L };
  held: AbortSignal;
}

export interface ConnectOptions {
  /** The caller whose SDP passes through to the other leg; null where both end in our media. */
  proxied: InboundLeg | null;
  timeLimitS?: number;
  hangupOnStar?: boolean;
  /** The document that decides when either side transfers the other. */
  refer?: Action | undefined;
  /** Both hear each other, by media of ours. */
  onJoined?(one: MediaLeg, other: MediaLeg): void;
}

/** Reason why two legs are not connected any more; `other-leg`: one of them ended, or was taken away. */
export type Parted = Extract<ServiceCause, "other-leg" | "time-limit" | "star">;

/** Lets two sides talk until one ends or is taken away, the time is up, or the star is pressed. */
export async function connectLegs(
  { calls, live, signal }: Pick<ScriptRun, "calls" | "live" | "signal">,
  other: HeldLeg,
  { proxied, timeLimitS, hangupOnStar, refer, onJoined }: ConnectOptions,
): Promise<Parted> {
  const { leg } = live;
  const { timers, log } = calls.signalling;
  const { promise: over, resolve: end } = Promise.withResolvers<Parted>();
  const stopLimit = timeLimitS === undefined
    ? () => {}
    : timers.after(timeLimitS * 1000, () => end("time-limit"));
  let stopDigits: (() => void) | undefined;
  let stopHolds = () => {};
  try {
    live.partner = other.live;
    other.live.partner = live;
    live.referMarkup = other.live.referMarkup = refer;
    let passing = proxied;
    if (passing !== null && !mayPass(calls, passing, other.live.leg)) {
      const isAnchored = await unlessAborted(anchorCallee(calls, other.live.leg), signal);
      if (signal.aborted || other.held.aborted) return "other-leg";
      if (isAnchored) passing = null;
    }
    if (passing !== null) passThrough(passing, other.live.leg);
    else {
      await joinMedia(leg, other.live.leg, onJoined);
      stopHolds = passHolds(calls, leg, other.live.leg);
    }
    if (hangupOnStar) stopDigits = leg.media?.onDigits((digit) => digit === "*" && end("star"));
    const parted = Promise.race([whenAborted(signal), whenAborted(other.held)]);
    return await Promise.race([parted.then(() => "other-leg" as const), over]);
  } catch (error) {
    log("Cannot join two legs", { leg: leg.id, error: String(error) });
    return "other-leg";
  } finally {
    stopLimit();
    stopHolds();
    stopDigits?.();
    leg.media?.leave(other.live.leg.media);
    part(live, other.live);
    part(other.live, live);
  }
}

/** True when a callee's answer may pass to the caller: two plain phones may both be behind NATs. */
function mayPass(
  { signalling }: ScriptRun["calls"],
  caller: InboundLeg,
  callee: LiveLeg["leg"],
): boolean {
  const { dialog } = callee;
  if (caller.mediaKind === "webrtc" || callee.direction !== "outbound" || dialog === undefined) {
    return true;
  }
  const sides = [
    { sdp: caller.offer, flow: caller.flow },
    { sdp: callee.remoteSdp, flow: dialog.flow },
  ];
  return staysDirect(signalling.mediaRelay, sides);
}

/** Reports a hold to each side while the other one holds it; the result ends both. */
function passHolds({ signalling }: ScriptRun["calls"], one: Leg, other: Leg): () => void {
  const news = [[one, createHoldReporter(other, signalling)], [
    other,
    createHoldReporter(one, signalling),
  ]] as const;
  let isOver = false;
  for (const [leg, { report: tell }] of news) {
    leg.onHold = (isHolding) => {
      if (!isOver) tell(isHolding);
    };
  }
  return () => {
    isOver = true; // Each may talk to a third one already, and keeps what that one set.
    for (const [, { report: tell }] of news) tell(false);
  };
}

/** Ends what one leg has of the other, unless it talks to a third one already. */
function part(live: LiveLeg, other: LiveLeg): void {
  if (live.partner === other) live.partner = live.referMarkup = undefined;
  if (live.leg.counterpart === other.leg) live.leg.counterpart = undefined;
}

async function joinMedia(
  leg: LiveLeg["leg"],
  other: LiveLeg["leg"],
  onJoined: ConnectOptions["onJoined"],
): Promise<void> {
  if (leg.direction === "inbound") await leg.answer();
  if (leg.signal.aborted || other.signal.aborted) return;
  if (leg.media === undefined || other.media === undefined) throw new Error("no media");
  leg.media.join(other.media);
  onJoined?.(leg.media, other.media);
}

/** Result of taking a leg: the reason why it was not reached, or the connection with it. */
export type ConnectedEnd = "gone" | "unreached" | {
  sipCallId: string | undefined;
  lastedMs: number;
};
