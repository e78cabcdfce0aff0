import { steadyNow } from "../../../core/base/steady_clock.ts";
import type { Action } from "../../../core/protocol/action.ts";
import type { ConferenceStep } from "../../../core/protocol/conferences.ts";
import type { Script } from "../../../core/protocol/script.ts";
import { sipLimits } from "../../base/limits.ts";
import { reportEnd, returnedAction, type ScriptRun } from "./script_run.ts";
import { joinElsewhere } from "./conference_elsewhere.ts";
import { createConferencePlace, vacate } from "./conference_place.ts";
import { type Participation, recordConference, untilEnough } from "./participation.ts";
import { answered, hearSteps, type PerformStep, wait } from "./wait.ts";

/** Requests the steps in place of this one from the service. */
export async function consult(
  run: ScriptRun,
  { serviceContext, action }: {
    serviceContext: Record<string, unknown>;
    action?: Action | undefined;
  },
): Promise<Script> {
  const { live, signal } = run;
  const carriedAction = action && returnedAction(run, action);
  return await live.requestScript(
    { type: "consulting", serviceContext, ...carriedAction && { action: carriedAction } },
    { signal },
  );
}

/** Puts the leg into a conference until it leaves; reports its arrival and its end. */
export async function conference(
  run: ScriptRun,
  step: ConferenceStep,
  performStep: PerformStep,
): Promise<Script | void> {
  const startedAt = steadyNow();
  const { at } = step;
  run.live.conference = createConferencePlace(step);
  const { outcome, recording, unreached } =
    await (at === undefined
      ? join(run, step, performStep)
      : joinElsewhere(run, { ...step, at }, performStep))
      .finally(() => {
        // A participant that hangs up may have transferred its place.
        if (!run.live.leg.signal.aborted) vacate(run.live);
      });
  const { serviceContext, action: next } = step;
  if (unreached !== undefined && serviceContext !== undefined && !run.signal.aborted) {
    const missed = { ...serviceContext, ...unreached, unreached: step.conferenceSid };
    return [{ type: "consult", serviceContext: missed, ...next && { action: next } }];
  }
  const lastedMs = steadyNow() - startedAt;
  run.tookTime ||= lastedMs >= sipLimits.timePassedMs;
  const { conferenceSid } = step;
  const durationS = outcome === "completed" ? Math.round(lastedMs / 1000) : 0;
  const told = { conferenceSid, outcome, durationS, ...recording && { recording } };
  const action = next && returnedAction(run, next);
  return await reportEnd(run, { type: "left", ...told, ...action && { action } });
}

async function join(
  run: ScriptRun,
  step: ConferenceStep,
  performStep: PerformStep,
): Promise<Participation> {
  const { calls, live, signal } = run;
  const { id: leg, accountSid } = live.leg;
  const media = await answered(run);
  if (media === undefined || signal.aborted) return { outcome: "failed" };
  const recording = recordConference(calls.recordings, leg, step);
  const participant = calls.conferences.enter({
    leg,
    accountSid,
    media,
    step,
    wait: (over, manner) => void wait({ ...run, signal: over }, manner, performStep),
    hear: (script, over) => hearSteps({ ...run, signal: over }, script, performStep),
    ...recording,
  });
  if (participant === undefined) return { outcome: "busy" };
  const { muted } = participant;
  const { conferenceSid, startOnEnter, endOnExit } = step;
  live.report({ type: "joined", conferenceSid, muted, startOnEnter, endOnExit });
  await untilEnough(run, { ...step, media, over: participant.over });
  participant.leave();
  return { outcome: "completed", recording: await recording?.end() ?? null };
}
