import type { Action, Invitation, LegEvent, Script, Step } from "../core/bridge.ts";
import { whenAborted } from "./abort.ts";
import type { InboundLeg, OutboundLeg } from "./leg.ts";
import { sipLimits } from "./limits.ts";
import type { LiveLeg } from "./live_leg.ts";
import type { Ending } from "./outcome.ts";
import { carried, type Performance } from "./performance.ts";
import { passThrough } from "./proxy.ts";

type DialStep = Extract<Step, { type: "dial" }>;

/** A leg that a dial placed, held by it until it ends or another script takes it away. */
interface Child {
  live: LiveLeg<OutboundLeg>;
  held: AbortSignal;
}

/** Rings all legs and joins the first to answer with this one, until either side is done. */
export async function dial(performance: Performance, step: DialStep): Promise<Script | void> {
  const { live, signal } = performance;
  const startedAt = Date.now();
  // Only a caller's first SDP, not yet answered by us, can pass to its one callee.
  const proxied = step.media === "proxied" && step.legs.length === 1 ? unanswered(live.leg) : null;
  const children = step.legs.map((invitation) =>
    placeChild(performance, { step, invitation, proxied })
  );
  const endings = Promise.all(children.map(ending));
  const winner = await firstAnswer(children, signal);
  const answeredAt = Date.now();
  for (const child of children) if (child !== winner) hangUp(child, winner !== undefined);
  if (winner !== undefined) {
    await talk(performance, { step, winner, proxied });
    hangUp(winner, false);
  }
  const last = (await endings).filter((one) => one !== undefined)
    .sort((a, b) => b.at - a.at).find((one) => winner === undefined || one.child === winner);
  if (winner === undefined) live.lastFailure = failureOf(last);
  performance.tookTime ||= Date.now() - startedAt >= sipLimits.timePassedMs;
  if (step.action === undefined) return;
  const action = carried(performance, step.action);
  const event = dialled({ step, winner, last, startedAt, answeredAt, action });
  if (!signal.aborted) return await live.ask(event, { signal });
  // The caller left, or another script took over: it is news all the same.
  live.report(event);
}

function unanswered(leg: LiveLeg["leg"]): InboundLeg | null {
  const open = leg.direction === "inbound" && leg.answeredAt === undefined && leg.offer !== "";
  return open ? leg : null;
}

function placeChild(
  { calls, live: { leg } }: Performance,
  dialling: { step: DialStep; invitation: Invitation; proxied: InboundLeg | null },
): Child {
  const { step, invitation, proxied } = dialling;
  const caller = leg.direction === "inbound" ? leg : undefined;
  const live = calls.place(invitation, {
    timeoutS: step.timeoutS,
    parent: leg.id,
    ...caller && { maxForwards: caller.maxForwards - 1, onRinging: () => proxied || caller.ring() },
    ...proxied &&
      { offer: proxied.offer, onProgress: (status, sdp) => proxied.progress(status, sdp) },
  });
  void live.leg.whenAnswered.then((answered) => answered && live.report({ type: "answered" }));
  return { live, held: live.hold() };
}

/** What the caller is refused with: never 487, which answers a CANCEL that it did not send. */
function failureOf(last: Ending | undefined): number {
  const status = last?.sipStatus ?? 480;
  return status === 487 ? 480 : status;
}

interface ChildEnding extends Ending {
  child: Child;
  at: number;
}

/** How a child ended; undefined when another script took it away first. */
async function ending(child: Child): Promise<ChildEnding | undefined> {
  await whenAborted(child.held);
  if (!child.live.leg.signal.aborted) return undefined;
  return { ...await child.live.leg.ended, child, at: Date.now() };
}

/** The first child to answer; undefined when none is left that could, or the signal aborts. */
async function firstAnswer(children: Child[], signal: AbortSignal): Promise<Child | undefined> {
  const { promise, resolve } = Promise.withResolvers<Child | undefined>();
  let ringing = children.length;
  for (const child of children) {
    const { whenAnswered } = child.live.leg;
    const taken = whenAborted(child.held).then(() => false);
    void Promise.race([whenAnswered, taken]).then((answered) => {
      if (answered) resolve(child);
      else if (--ringing === 0) resolve(undefined);
    });
  }
  void whenAborted(signal).then(() => resolve(undefined));
  return await promise;
}

function hangUp({ live, held }: Child, elsewhere: boolean): void {
  if (!held.aborted) live.leg.hangup({ elsewhere });
}

/** Lets the two sides talk until one ends, the time is up, or the caller presses the star. */
async function talk(
  { calls, live: { leg }, signal }: Performance,
  call: { step: DialStep; winner: Child; proxied: InboundLeg | null },
): Promise<void> {
  const { step, winner, proxied } = call;
  const over = new AbortController();
  const limit = step.timeLimitS * 1000;
  const stopLimit = calls.signalling.timers.after(limit, () => over.abort());
  try {
    if (proxied) passThrough(proxied, winner.live.leg);
    else await joinMedia(leg, winner.live.leg);
    if (step.hangupOnStar && leg.media) {
      leg.media.onDigit = (digit) => digit === "*" && over.abort();
    }
    await whenAborted(AbortSignal.any([signal, winner.held, over.signal]));
  } catch (error) {
    calls.signalling.log("Cannot join two legs", { leg: leg.id, error: String(error) });
  } finally {
    stopLimit();
    leg.media?.leave();
  }
}

async function joinMedia(leg: LiveLeg["leg"], callee: OutboundLeg): Promise<void> {
  if (leg.direction === "inbound") await leg.answer();
  if (leg.signal.aborted || callee.signal.aborted) return;
  if (leg.media === undefined || callee.media === undefined) throw new Error("no media");
  leg.media.join(callee.media);
}

function dialled(
  dialling: {
    step: DialStep;
    winner: Child | undefined;
    last: ChildEnding | undefined;
    startedAt: number;
    answeredAt: number;
    action: Action;
  },
): LegEvent {
  const { step, winner, last, startedAt, answeredAt, action } = dialling;
  const named = winner ?? last?.child;
  const seconds = (from: number, to: number) => Math.max(Math.round((to - from) / 1000), 0);
  return {
    type: "dialled",
    outcome: winner ? "completed" : last?.outcome ?? "canceled",
    leg: named?.live.leg.id ?? step.legs[0]?.leg ?? "",
    durationS: winner ? seconds(answeredAt, Date.now()) : 0,
    ringS: seconds(startedAt, answeredAt),
    ...!winner && last?.sipStatus !== undefined && { sipStatus: last.sipStatus },
    ...named && { sipCallId: named.live.leg.sipCallId },
    action,
  };
}
