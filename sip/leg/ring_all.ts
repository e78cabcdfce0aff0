import { steadyNow } from "../../core/base/steady_clock.ts";
import type { ServiceCause } from "../../core/protocol/disconnection.ts";
import type { Invitation, Step, Target } from "../../core/protocol/script.ts";
import { whenAborted } from "../../core/base/abort.ts";
import type { Calls, Placing } from "../contracts/calls.ts";
import type { InboundLeg, OutboundLeg } from "../contracts/leg.ts";
import type { LiveLeg } from "../contracts/live_leg.ts";
import { mediaKindOf } from "./media_kind.ts";
import { passesDirectly, staysDirect } from "./media_relay.ts";
import type { MediaLeg } from "../media/mod.ts";
import type { Ending } from "../contracts/outcome.ts";
import { createRingback, type Ringback } from "./ringback.ts";

export type DialStep = Extract<Step, { type: "dial" }>;

/** A leg that a dial placed, held by it until it ends or another script takes it away. */
export interface Child {
  live: LiveLeg<OutboundLeg>;
  held: AbortSignal;
  /** True once it answered and may be connected; false when it ended before, or another script took it. */
  ready: Promise<boolean>;
}

export interface ChildEnding extends Ending {
  child: Child;
  at: number;
}

/** The legs of a dial, ringing. */
export interface Ring {
  readonly children: Child[];
  readonly startedAt: number;
  /** The caller whose first SDP passes to the one callee; null where our media are in between. */
  readonly proxied: InboundLeg | null;
  /** The first to be ready; undefined when none is left that could. */
  readonly winner: Promise<Child | undefined>;
  /** Ending of each; undefined where another script took it first. */
  readonly endings: Promise<(ChildEnding | undefined)[]>;
}

/** Rings all legs of a dial on behalf of a leg. */
export function ringAll(
  calls: Calls,
  live: LiveLeg,
  step: DialStep,
  placing: Pick<Placing, "onRinging" | "headers"> = {},
): Ring {
  const [first, ...others] = step.legs;
  const proxied = step.media === "proxied" && first !== undefined && others.length === 0
    ? passable(calls, live.leg, first.target)
    : null;
  const startedAt = steadyNow();
  const ringback = createRingback(live, step.ringTone);
  const children = step.legs.map((invitation) =>
    placeChild(calls, live, { step, invitation, proxied, ringback, placing })
  );
  const winner = firstReady(children);
  void winner.then((ready) => ringback.stop(ready !== undefined));
  return {
    children,
    startedAt,
    proxied,
    winner,
    endings: Promise.all(children.map(ending)),
  };
}

/** Ends every leg of a dial but one. */
export function hangUpOthers({ children }: Ring, winner: Child | undefined): void {
  const cause = winner === undefined ? "other-leg" : "answered-elsewhere";
  for (const child of children) if (child !== winner) hangUp(child, cause);
}

/** BYE, or CANCEL; with the reason that another one answered, where that is the cause. */
export function hangUp({ live, held }: Child, cause: ServiceCause): void {
  if (!held.aborted) live.leg.hangup({ cause });
}

/** The outcome of a dial without an answer, or the leg that answered first. */
export async function lastEnding(
  { endings }: Ring,
  winner: Child | undefined,
): Promise<ChildEnding | undefined> {
  return (await endings).filter((one) => one !== undefined)
    .sort((a, b) => b.at - a.at).find((one) => winner === undefined || one.child === winner);
}

/** Status of the refusal of a caller: never 487, which answers a CANCEL that it did not send. */
export function failureOf(last: Ending | undefined): number {
  const status = last?.sipStatus ?? 480;
  return status === 487 ? 480 : status;
}

function unanswered(leg: LiveLeg["leg"]): InboundLeg | null {
  const open = leg.direction === "inbound" && leg.answeredAt === undefined && leg.offer !== "";
  return open ? leg : null;
}

/** Only a caller's first SDP, not yet answered by us, can pass, and only to media of its own kind. */
function passable(
  { signalling: { location, mediaRelay } }: Calls,
  leg: LiveLeg["leg"],
  target: Target,
): InboundLeg | null {
  const caller = unanswered(leg);
  if (
    caller === null || caller.demands.hidesSession ||
    target.kind !== "client" && target.kind !== "leg"
  ) {
    return null;
  }
  if (target.kind === "leg") return caller.mediaKind === "webrtc" ? caller : null;
  const devices = location.devices(target.login);
  const { mediaKind } = caller;
  // Devices at other companions are offered what browsers understand.
  const fits = devices.every(([binding]) => mediaKindOf(binding) === mediaKind) &&
    (mediaKind === "webrtc" || (target.peers ?? []).length === 0);
  const passes = mediaKind === "webrtc" ||
    passesDirectly(mediaRelay, caller, devices.flat());
  return fits && passes ? caller : null;
}

function placeChild(
  calls: Calls,
  { leg }: LiveLeg,
  dialling: {
    step: DialStep;
    invitation: Invitation;
    proxied: InboundLeg | null;
    ringback: Ringback;
    placing: Pick<Placing, "onRinging" | "headers">;
  },
): Child {
  const { step, invitation, proxied, ringback, placing } = dialling;
  const caller = leg.direction === "inbound" ? leg : undefined;
  const isAnswered = leg.answeredAt !== undefined;
  // While a leg is screened or sent digits, it is not for the caller to hear.
  const isPrepared = invitation.screened || invitation.sendDigits !== undefined;
  const hearsEarly = !proxied && step.legs.length === 1 && !isPrepared;
  const ring = () => {
    const hasTone = isAnswered || step.ringTone !== undefined;
    if (!isAnswered && !proxied) caller?.ring();
    if (hasTone && !proxied) ringback.ring();
  };
  const live = calls.place(invitation, {
    timeoutS: step.timeoutS,
    parent: leg.id,
    ...placing,
    ...caller && { maxForwards: caller.maxForwards - 1, demands: caller.demands },
    onSearching: ring,
    onRinging() {
      placing.onRinging?.();
      ring();
    },
    ...hearsEarly && {
      onEarlyMedia: (media) => isAnswered ? ringback.early(media) : void joinEarly(caller, media),
    },
    ...proxied &&
      { offer: proxied.offer, onProgress: passProgress(calls, proxied) },
  });
  const held = live.acquire();
  return { live, held, ready: live.prepare(invitation, held) };
}

/** Passes provisional responses on, but early SDP that may not pass only as ringing. */
function passProgress(
  { signalling: { mediaRelay } }: Calls,
  caller: InboundLeg,
): NonNullable<Placing["onProgress"]> {
  return (status, early) => {
    const passes = early.sdp === "" || caller.mediaKind === "webrtc" ||
      staysDirect(mediaRelay, [early]);
    if (passes) caller.progress(status, early.sdp);
    else caller.ring();
  };
}

/** Lets the caller hear the callee's early media, such as an announcement of its network. */
export async function joinEarly(caller: InboundLeg | undefined, media: MediaLeg): Promise<void> {
  const ours = await caller?.early().catch(() => undefined);
  ours?.join(media);
}

async function ending(child: Child): Promise<ChildEnding | undefined> {
  await whenAborted(child.held);
  if (!child.live.leg.signal.aborted) return undefined;
  return { ...await child.live.leg.ended, child, at: steadyNow() };
}

async function firstReady(children: Child[]): Promise<Child | undefined> {
  const { promise, resolve } = Promise.withResolvers<Child | undefined>();
  let pending = children.length;
  for (const child of children) {
    void child.ready.then((ready) => {
      if (ready) resolve(child);
      else if (--pending === 0) resolve(undefined);
    });
  }
  return await promise;
}

/**
 * Rings the legs of a dial one after the other, each for the dial's time-out, until one answers. The
 * signal aborts when the caller leaves: no further leg is placed then.
 */
export function ringInTurn(
  calls: Calls,
  live: LiveLeg,
  step: DialStep,
  signal: AbortSignal,
): Ring {
  const children: Child[] = [];
  const rings: Ring[] = [];
  const ring = async (): Promise<Child | undefined> => {
    for (const invitation of step.legs) {
      if (signal.aborted) return undefined;
      const one = ringAll(calls, live, { ...step, legs: [invitation] });
      rings.push(one);
      children.push(...one.children);
      const winner = await one.winner;
      if (winner !== undefined) return winner;
      hangUpOthers(one, undefined);
    }
    return undefined;
  };
  const startedAt = steadyNow();
  const winner = ring();
  const endings = winner.then(() => Promise.all(rings.map(({ endings }) => endings)))
    .then((all) => all.flat());
  return { children, startedAt, proxied: null, winner, endings };
}
