import { steadyNow } from "../../../core/base/steady_clock.ts";
import type { Action } from "../../../core/protocol/action.ts";
import type { GatherStep } from "../../../core/protocol/gather.ts";
import type { Script, Step } from "../../../core/protocol/script.ts";
import { whenAborted } from "../../../core/base/abort.ts";
import { sipLimits } from "../../base/limits.ts";
import { type MediaLeg, waitMusic } from "../../media/mod.ts";
import { connected } from "./connected.ts";
import { collect, type Input, isNothing } from "./gather.ts";
import { returnedAction, type ScriptRun } from "./script_run.ts";

/** Performs one step; whoever performs scripts gives it, since that one performs waits too. */
export type PerformStep = (
  run: ScriptRun,
  step: Exclude<Step, { type: "connect" }>,
) => Promise<Script | void> | Script | void;

/** Audio of a waiting leg. */
export interface Waiting {
  /** A document; null is silence, absent music of ours. */
  wait?: Action | null | undefined;
  queueSid?: string;
}

/**
 * Lets a leg hear what those hear who wait, until the signal aborts; true when its document said
 * `leave`. A document without sounds gives way to the music.
 */
export async function wait(
  run: ScriptRun,
  { wait: action, queueSid }: Waiting,
  performStep: PerformStep,
): Promise<boolean> {
  const { calls, live: { leg }, signal } = run;
  try {
    const asked = { ...queueSid && { queueSid } };
    if (action && await hear(run, { action, ...asked }, performStep)) return true;
    // Later audio belongs to the next step.
    if (action !== null && !signal.aborted) await leg.media?.play(waitMusic(), { loop: 0, signal });
  } catch (error) {
    calls.signalling.log("Cannot play the wait document to a leg", {
      leg: leg.id,
      error: String(error),
    });
  }
  await whenAborted(signal);
  return false;
}

/** Performs a document over and over; returns when there was nothing to hear, or at a `leave`. */
async function hear(
  run: ScriptRun,
  asked: { action: Action; queueSid?: string },
  performStep: PerformStep,
): Promise<boolean> {
  const { calls, live, signal } = run;
  let { action } = asked;
  let gathered: Input | undefined;
  run.tookTime = false;
  let silent = 0;
  while (!signal.aborted && silent < sipLimits.waitDocuments) {
    const startedAt = steadyNow();
    const news = {
      ...asked,
      action: returnedAction(run, action),
      ...gathered && { gathered: toldOf(gathered) },
    };
    const script = await live.requestScript({ type: "waiting", ...news }, { signal });
    ({ action } = asked); // From the newRun, unless it leads on to another.
    gathered = undefined;
    for (const step of script) {
      if (signal.aborted) return false;
      if (step.type === "leave") return true;
      if (step.type === "next") ({ action } = step);
      else if (step.type === "gather") {
        gathered = await inputFor(run, step, performStep);
        if (gathered === undefined) continue;
        action = step.action!; // A Gather of markup always has one.
        break;
      } else if (step.type !== "connect") await performStep(run, step);
    }
    silent = run.tookTime ? 0 : silent + 1;
    run.tookTime = false;
    const lastedMs = steadyNow() - startedAt;
    if (silent > 0 || lastedMs >= sipLimits.timePassedMs) continue;
    await calls.signalling.timers.pause(sipLimits.timePassedMs - lastedMs, signal);
  }
  return false;
}

/** Lets a leg hear the sounds of a document once; those after a further document are left out. */
export async function hearOnce(
  run: ScriptRun,
  { action, queueSid }: { action: Action; queueSid: string },
  performStep: PerformStep,
): Promise<void> {
  const { calls, live, signal } = run;
  try {
    const script = await live.requestScript({ type: "waiting", action, queueSid }, { signal });
    for (const step of script) {
      if (signal.aborted || step.type === "next" || step.type === "leave") return;
      if (step.type === "gather") await collect(run, step, performStep);
      else if (step.type !== "connect") await performStep(run, step);
    }
  } catch (error) {
    calls.signalling.log("Cannot play a document to a leg", {
      leg: live.leg.id,
      error: String(error),
    });
  }
}

/** Performs audible steps for a leg, until the signal aborts. Nothing is thrown. */
export async function hearSteps(
  run: ScriptRun,
  script: Script,
  performStep: PerformStep,
): Promise<void> {
  const { calls, live, signal } = run;
  try {
    for (const step of script) {
      if (signal.aborted) return;
      if (step.type !== "connect") await performStep(run, step);
    }
  } catch (error) {
    calls.signalling.log("Cannot announce to a leg", { leg: live.leg.id, error: String(error) });
  }
}

/** Input as it is reported: without speech where there was none. */
const toldOf = ({ digits, speech }: Input) => ({ digits, ...speech && { speech } });

/** Input of a gather for its action; undefined without one, and where none came. */
async function inputFor(
  run: ScriptRun,
  step: GatherStep,
  performStep: PerformStep,
): Promise<Input | undefined> {
  const input = await collect(run, step, performStep);
  if (step.action !== undefined) return isNothing(input) && !step.actionOnEmpty ? undefined : input;
  run.typed = input.digits;
}

/** The media of an answered leg, connected; undefined when there are none. */
export async function answered(run: ScriptRun): Promise<MediaLeg | undefined> {
  const { calls, live: { leg } } = run;
  try {
    if (leg.direction === "inbound") await leg.answer();
    if (leg.media !== undefined) await connected(run, leg.media, "answer");
    return leg.media;
  } catch (error) {
    calls.signalling.log("Cannot answer a leg", { leg: leg.id, error: String(error) });
    return undefined;
  }
}
