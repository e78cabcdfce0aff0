import { steadyNow } from "../../../core/base/steady_clock.ts";
import type { Action } from "../../../core/protocol/action.ts";
import type { LegEvent } from "../../../core/protocol/events.ts";
import type { PickupStep, QueueStep } from "../../../core/protocol/conferences.ts";
import type { Script } from "../../../core/protocol/script.ts";
import { unlessAborted, whenAborted } from "../../../core/base/abort.ts";
import { sipLimits } from "../../base/limits.ts";
import type { LiveLeg } from "../../contracts/live_leg.ts";
import { reportEnd, returnedAction, type ScriptRun } from "./script_run.ts";
import { recordConnectedCall } from "./record_connected_call.ts";
import { type ConnectedEnd, connectLegs, type ConnectOptions } from "./connect_legs.ts";
import { callCompanion } from "../../leg/call_companion.ts";
import { runPartner } from "../../leg/remote_leg.ts";
import type { RemoteCompanion } from "../../../core/protocol/peers.ts";
import { answered, hearOnce, type PerformStep, wait } from "./wait.ts";

/** Holds the leg in a queue until it is taken, leaves or ends; reports its arrival and its end. */
export async function queue(
  run: ScriptRun,
  step: QueueStep,
  performStep: PerformStep,
): Promise<Script | void> {
  const { calls, live, signal } = run;
  const { queueSid } = step;
  const startedAt = steadyNow();
  const waitedS = () => Math.round((steadyNow() - startedAt) / 1000);
  const tell = async (event: LegEvent & { type: "dequeued" }): Promise<Script | void> => {
    run.tookTime ||= steadyNow() - startedAt >= sipLimits.timePassedMs;
    const action = step.action && returnedAction(run, step.action);
    return await reportEnd(run, { ...event, ...action && { action } });
  };
  const dequeued = { type: "dequeued", queueSid } as const;
  if (await answered(run) === undefined || signal.aborted) {
    return await tell({ ...dequeued, result: "error", waitedS: 0 });
  }

  const { id } = live.leg;
  const taken = Promise.withResolvers<"bridged">();
  const released = Promise.withResolvers<void>();
  const over = new AbortController();
  const end = () => {
    calls.waiting.delete(id);
    over.abort();
  };
  const take = async (whisper?: Action) => {
    end();
    taken.resolve("bridged");
    if (whisper !== undefined) await hearOnce(run, { action: whisper, queueSid }, performStep);
  };
  calls.waiting.set(id, { live, signal, take, release: released.resolve });
  live.report({ type: "queued", queueSid });
  signal.addEventListener("abort", end, { once: true });
  const left = wait({ ...run, signal: over.signal }, step, performStep)
    .then((isLeft) =>
      isLeft ? "leave" as const : Promise.race([taken.promise, parted(live, signal)])
    );
  const result = await Promise.race([taken.promise, left]);
  end();
  const event = { ...dequeued, result, waitedS: waitedS() };
  if (result === "bridged") {
    live.report(event);
    await Promise.race([released.promise, whenAborted(signal)]);
  }
  return await tell(event);
}

/** Resolves with the way in which a leg left without being taken. */
async function parted(
  { leg }: LiveLeg,
  signal: AbortSignal,
): Promise<"hangup" | "redirected"> {
  await whenAborted(signal);
  return leg.signal.aborted ? "hangup" : "redirected";
}

/** Takes a leg that waits, and talks to it until either side is done. */
export async function pickup(run: ScriptRun, step: PickupStep): Promise<Script | void> {
  const { signal } = run;
  const { at, action, serviceContext, leg } = step;
  const media = await answered(run);
  if (media === undefined || signal.aborted) return;
  const recording = recordConnectedCall(run, step);
  const { onJoined } = recording;
  const talked = at === undefined
    ? await talkHere(run, step, onJoined)
    : await connectElsewhere(run, { ...step, at }, onJoined);
  if (typeof talked === "string") {
    if (signal.aborted) return;
    const missing = { ...serviceContext, [talked]: leg };
    return [{ type: "consult", serviceContext: missing, ...action && { action } }];
  }
  const { sipCallId, lastedMs } = talked;
  const recorded = await recording.end();
  run.tookTime ||= lastedMs >= sipLimits.timePassedMs;
  if (action === undefined) return;
  return await reportEnd(run, {
    type: "dialled",
    outcome: "completed",
    leg,
    durationS: Math.round(lastedMs / 1000),
    ringS: 0,
    ...sipCallId !== undefined && { sipCallId },
    ...recorded && { recording: recorded },
    action: returnedAction(run, action),
  });
}

async function talkHere(
  run: ScriptRun,
  { leg, whisper, timeLimitS, hangupOnStar = false }: PickupStep,
  onJoined: ConnectOptions["onJoined"] & object,
): Promise<ConnectedEnd> {
  const other = run.calls.waiting.get(leg);
  if (other === undefined) return "gone";
  await other.take(whisper);
  const startedAt = steadyNow();
  const manner = { proxied: null, timeLimitS, hangupOnStar, onJoined };
  await connectLegs(run, { live: other.live, held: other.signal }, manner);
  other.release();
  return { sipCallId: other.live.leg.sipCallId, lastedMs: steadyNow() - startedAt };
}

/** Takes a leg that waits at another companion, and talks to it, by a call to that one. */
async function connectElsewhere(
  run: ScriptRun,
  { leg, at, whisper, timeLimitS, hangupOnStar = false }: PickupStep & { at: RemoteCompanion },
  onJoined: ConnectOptions["onJoined"] & object,
): Promise<ConnectedEnd> {
  const { calls, signal } = run;
  const meeting = callCompanion(calls, {
    at,
    order: { type: "pickup", leg, runId: at.runId, ...whisper && { whisper } },
    onNews: (news) => news.type === "run" && runPartner(other, news.script),
  });
  const other = calls.adopt(meeting.leg);
  const held = other.acquire();
  const first = await unlessAborted(meeting.first, signal);
  if (first?.type === "talks") {
    const startedAt = steadyNow();
    const manner = { proxied: null, timeLimitS, hangupOnStar, onJoined };
    await connectLegs(run, { live: other, held }, manner);
    if (!held.aborted) meeting.hangup();
    return { sipCallId: first.sipCallId, lastedMs: steadyNow() - startedAt };
  }
  meeting.hangup();
  return first === undefined ? "unreached" : "gone";
}
