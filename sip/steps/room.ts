import type { Action } from "../../core/protocol/action.ts";
import type { RoomStep } from "../../core/protocol/rooms.ts";
import type { Script } from "../../core/protocol/script.ts";
import { sipLimits } from "../base/limits.ts";
import { carried, type Performance, tellEnd } from "./performance.ts";
import { stayElsewhere } from "./room_elsewhere.ts";
import { createRoomPlace, vacate } from "./room_place.ts";
import { recordRoom, type Stay, untilEnough } from "./room_stay.ts";
import { answered, type PerformStep, wait } from "./wait.ts";

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
export async function room(
  performance: Performance,
  step: RoomStep,
  performStep: PerformStep,
): Promise<Script | void> {
  const startedAt = Date.now();
  const { at } = step;
  performance.live.room = createRoomPlace(step);
  const { outcome, recording, unreached } =
    await (at === undefined
      ? stay(performance, step, performStep)
      : stayElsewhere(performance, { ...step, at }, performStep))
      .finally(() => {
        // Who hangs up there may have asked that somebody else take its place.
        if (!performance.live.leg.signal.aborted) vacate(performance.live);
      });
  const { memo, action: next } = step;
  if (unreached !== undefined && memo !== undefined && !performance.signal.aborted) {
    const missed = { ...memo, ...unreached, unreached: step.conferenceSid };
    return [{ type: "consult", memo: missed, ...next && { action: next } }];
  }
  const lastedMs = Date.now() - startedAt;
  performance.tookTime ||= lastedMs >= sipLimits.timePassedMs;
  const { conferenceSid } = step;
  const durationS = outcome === "completed" ? Math.round(lastedMs / 1000) : 0;
  const told = { conferenceSid, outcome, durationS, ...recording && { recording } };
  const action = next && carried(performance, next);
  return await tellEnd(performance, { type: "left", ...told, ...action && { action } });
}

async function stay(
  performance: Performance,
  step: RoomStep,
  performStep: PerformStep,
): Promise<Stay> {
  const { calls, live, signal } = performance;
  const { id: leg } = live.leg;
  const media = await answered(performance);
  if (media === undefined || signal.aborted) return { outcome: "failed" };
  const recording = recordRoom(calls.recordings, leg, step.record);
  const guest = calls.rooms.enter({
    leg,
    media,
    step,
    wait: (over, isHeld) =>
      void wait({ ...performance, signal: over }, isHeld ? {} : { wait: step.wait }, performStep),
    ...recording,
  });
  if (guest === undefined) return { outcome: "busy" };
  const { muted } = guest;
  const { conferenceSid, startOnEnter, endOnExit } = step;
  live.report({ type: "joined", conferenceSid, muted, startOnEnter, endOnExit });
  await untilEnough(performance, { ...step, media, over: guest.over });
  guest.leave();
  return { outcome: "completed", recording: await recording?.end() ?? null };
}
