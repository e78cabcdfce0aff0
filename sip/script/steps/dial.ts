import { steadyNow } from "../../../core/base/steady_clock.ts";
import type { LegEvent, Outcome } from "../../../core/protocol/events.ts";
import type { Action } from "../../../core/protocol/action.ts";
import type { Recorded } from "../../../core/protocol/recordings.ts";
import type { Script } from "../../../core/protocol/script.ts";
import { unlessAborted } from "../../../core/base/abort.ts";
import { sipLimits } from "../../base/limits.ts";
import { reportEnd, returnedAction, type ScriptRun } from "./script_run.ts";
import {
  type Child,
  type ChildEnding,
  type DialStep,
  failureOf,
  hangUp,
  hangUpOthers,
  lastEnding,
  type Ring,
  ringAll,
  ringInTurn,
} from "../../leg/ring_all.ts";
import { recordConnectedCall } from "./record_connected_call.ts";
import { connectLegs } from "./connect_legs.ts";

const rungAhead = new WeakMap<DialStep, Ring>();

/** Has a dial go on with legs that ring already, when its turn comes. */
export const dialWith = (step: DialStep, ring: Ring): void => void rungAhead.set(step, ring);

/** Rings all legs and joins the first that may be with this one, until either side is done. */
export async function dial(run: ScriptRun, step: DialStep): Promise<Script | void> {
  const { calls, live, signal } = run;
  const ring = rungAhead.get(step) ??
    (step.sequential ? ringInTurn(calls, live, step, signal) : ringAll(calls, live, step));
  const { startedAt, proxied } = ring;
  const winner = await unlessAborted(ring.winner, signal);
  const answeredAt = winner?.live.leg.answeredAt ?? steadyNow();
  let recording: ReturnType<typeof recordConnectedCall> | undefined;
  hangUpOthers(ring, winner);
  if (winner !== undefined) {
    const { timeLimitS, hangupOnStar = false, refer } = step;
    recording = recordConnectedCall(run, step);
    const { onJoined } = recording;
    const manner = { proxied, timeLimitS, hangupOnStar, onJoined, refer };
    hangUp(winner, await connectLegs(run, winner, manner));
  }
  const recorded = await recording?.end();
  const last = await lastEnding(ring, winner);
  if (winner === undefined) {
    live.lastFailure = failureOf(last);
    const { cause, text } = last?.disconnection ?? {};
    live.lastWords = cause === "limit" ? text : undefined;
  }
  run.tookTime ||= steadyNow() - startedAt >= sipLimits.timePassedMs;
  if (step.action === undefined) return;
  const action = returnedAction(run, step.action);
  const outcome = winner ? "completed" : unansweredOutcome(last, signal);
  const event = dialled({ step, outcome, winner, last, startedAt, answeredAt, recorded, action });
  return await reportEnd(run, event);
}

/** A callee whose screening failed has answered, and the caller was not connected. */
function unansweredOutcome(last: ChildEnding | undefined, { aborted }: AbortSignal): Outcome {
  if (last?.outcome === "completed") return aborted ? "canceled" : "no-answer";
  return last?.outcome ?? "canceled";
}

function dialled(
  dialling: {
    step: DialStep;
    outcome: Outcome;
    winner: Child | undefined;
    last: ChildEnding | undefined;
    startedAt: number;
    answeredAt: number;
    recorded: Recorded | null | undefined;
    action: Action;
  },
): LegEvent {
  const { step, outcome, winner, last, startedAt, answeredAt, recorded, action } = dialling;
  const named = winner ?? last?.child;
  const { responseHeaders = {}, invitedAt = startedAt } = named?.live.leg ?? {};
  const seconds = (from: number, to: number) => Math.max(Math.round((to - from) / 1000), 0);
  return {
    type: "dialled",
    outcome,
    leg: named?.live.leg.id ?? step.legs[0]?.leg ?? "",
    durationS: winner ? seconds(answeredAt, steadyNow()) : 0,
    ringS: seconds(invitedAt, answeredAt),
    ...!winner && last?.sipStatus !== undefined && { sipStatus: last.sipStatus },
    ...named && { sipCallId: named.live.leg.sipCallId },
    ...Object.keys(responseHeaders).length > 0 && { headers: responseHeaders },
    ...recorded && { recording: recorded },
    action,
  };
}
