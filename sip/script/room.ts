import type { Action } from "../../core/bridge_action.ts";
import type { LegEvent } from "../../core/bridge_events.ts";
import type { RoomStep } from "../../core/bridge_rooms.ts";
import type { Script } from "../../core/bridge_script.ts";
import { whenAborted } from "../abort.ts";
import { sipLimits } from "../limits.ts";
import type { MediaLeg } from "../media/port.ts";
import { waitMusic } from "../media/room_sounds.ts";
import { connected, play } from "./play.ts";
import { carried, type Performance } from "./performance.ts";

/** Asks the service for the steps in place of this one. */
export async function consult(
  performance: Performance,
  { memo, action }: { memo: Record<string, unknown>; action?: Action | undefined },
): Promise<Script> {
  const { live, signal } = performance;
  const carriedAction = action && carried(performance, action);
  return await live.ask(
    { type: "consulting", memo, ...carriedAction && { action: carriedAction } },
    { signal },
  );
}

/** Has the leg in a room until it is over there; the service is told when it comes and when it goes. */
export async function room(performance: Performance, step: RoomStep): Promise<Script | void> {
  const { live, signal } = performance;
  const startedAt = Date.now();
  const outcome = await stay(performance, step);
  const lastedMs = Date.now() - startedAt;
  performance.tookTime ||= lastedMs >= sipLimits.timePassedMs;
  const { conferenceSid } = step;
  const durationS = outcome === "completed" ? Math.round(lastedMs / 1000) : 0;
  const left = { type: "left", conferenceSid, outcome, durationS } as const;
  if (step.action === undefined) return live.report(left);
  const event: LegEvent = { ...left, action: carried(performance, step.action) };
  if (!signal.aborted) return await live.ask(event, { signal });
  // The caller left, or another script took over: it is news all the same.
  live.report(event);
}

async function stay(
  performance: Performance,
  step: RoomStep,
): Promise<"completed" | "busy" | "failed"> {
  const { calls, live, signal } = performance;
  const media = await answered(performance);
  if (media === undefined || signal.aborted) return "failed";
  const guest = calls.rooms.enter({
    leg: live.leg.id,
    media,
    step,
    wait: (over, isHeld) =>
      void wait({ ...performance, signal: over }, isHeld ? undefined : step.wait),
  });
  if (guest === undefined) return "busy";
  const { conferenceSid, muted, startOnEnter, endOnExit, timeLimitS, hangupOnStar } = step;
  live.report({ type: "joined", conferenceSid, muted, startOnEnter, endOnExit });
  const { promise: enough, resolve: end } = Promise.withResolvers<void>();
  const stopLimit = calls.signalling.timers.after(timeLimitS * 1000, end);
  const stopDigits = media.onDigits((digit) => hangupOnStar && digit === "*" && end());
  try {
    await Promise.race([whenAborted(signal), guest.over, enough]);
  } finally {
    stopLimit();
    stopDigits();
    guest.leave();
  }
  return "completed";
}

/** The media of an answered leg, connected; undefined when there are none. */
async function answered(performance: Performance): Promise<MediaLeg | undefined> {
  const { calls, live: { leg } } = performance;
  try {
    if (leg.direction === "inbound") await leg.answer();
    if (leg.media !== undefined) await connected(performance, leg.media);
    return leg.media;
  } catch (error) {
    calls.signalling.log("Cannot enter a room", { leg: leg.id, error: String(error) });
    return undefined;
  }
}

/** Plays what is heard while waiting: music of ours unless a document, or silence, is wanted. */
async function wait(performance: Performance, wanted: Action | null | undefined): Promise<void> {
  const { calls, live: { leg }, signal } = performance;
  if (wanted === null) return;
  try {
    if (wanted !== undefined) await document(performance, wanted);
    if (!signal.aborted) await leg.media?.play(waitMusic(), { loop: 0, signal });
  } catch (error) {
    calls.signalling.log("Cannot play to those who wait", { leg: leg.id, error: String(error) });
  }
}

/** Performs a document's sounds over and over; returns when there was nothing to hear. */
async function document(performance: Performance, action: Action): Promise<void> {
  const { calls, live, signal } = performance;
  const { timers } = calls.signalling;
  while (!signal.aborted) {
    const startedAt = Date.now();
    const script = await live.ask({ type: "waiting", action }, { signal });
    performance.tookTime = false;
    for (const step of script) {
      if (signal.aborted) return;
      if (step.type === "play") await play(performance, step);
      if (step.type !== "silence") continue;
      performance.tookTime = true;
      await timers.pause(step.seconds * 1000, signal);
    }
    if (!performance.tookTime) return;
    const lastedMs = Date.now() - startedAt;
    if (lastedMs < sipLimits.timePassedMs) await timers.pause(sipLimits.timePassedMs, signal);
  }
}
