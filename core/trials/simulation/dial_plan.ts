import type { LegEvent, Outcome } from "../../protocol/events.ts";
import type { Invitation, Step } from "../../protocol/script.ts";
import { behaviourOf } from "../../model/values/test_calls.ts";
import { simulationTimes as times } from "./times.ts";

/** A report of a leg that a Dial placed, which comes at its time, in ms. */
export interface Moment {
  at: number;
  leg: string;
  seq: number;
  event: LegEvent;
  wantsScript: boolean;
}

/** Result of a Dial of the leg, once all its moments are over. */
export interface DialResult {
  outcome: Outcome;
  leg: string;
  durationS: number;
  ringS: number;
  sipStatus?: number;
  /** Time of the answer, in ms; null without one. */
  answeredAt: number | null;
}

type DialStep = Extract<Step, { type: "dial" }>;

/** The reports of the legs of a Dial in the order of their times, and what the Dial comes to. */
export interface DialPlan {
  moments: Moment[];
  result: DialResult;
}

/** Outcome of one leg that rings at a time. */
interface Rung {
  invitation: Invitation;
  begunAt: number;
  /** Time of its answer, or of its end. */
  settledAt: number;
  outcome: DialResult["outcome"];
}

const passedOver = { by: "service", cause: "answered-elsewhere" } as const;
const leaves = { by: "remote", cause: "bye" } as const;
const refuses = { by: "remote", cause: "refused" } as const;
const unanswered = { by: "service", cause: "timeout" } as const;

const refusals = { busy: 486, failed: 503 } as const;

/** The SIP status of a leg that ended without an answer; none where no response came. */
export const statusOf = (outcome: string): { sipStatus?: number } =>
  outcome in refusals ? { sipStatus: refusals[outcome as keyof typeof refusals] } : {};

/** Plans a Dial that begins at `at`, in ms. The first leg that answers talks until it hangs up. */
export function planOf(step: DialStep, parent: string, at: number): DialPlan {
  const all = step.sequential ? inTurn(step, at) : step.legs.map((leg) => rung(leg, step, at));
  const winner = all.filter(({ outcome }) => outcome === "completed")
    .toSorted((one, other) => one.settledAt - other.settledAt)[0];
  const moments = all.flatMap((one) => momentsOf(one, winner, { step, parent }))
    .toSorted((one, other) => one.at - other.at);
  const last = winner ?? all.at(-1)!; // A Dial has a leg.
  const result: DialResult = {
    outcome: winner === undefined ? last.outcome : "completed",
    leg: last.invitation.leg,
    durationS: winner === undefined ? 0 : Math.round(talkMs(winner, step) / 1_000),
    ringS: Math.round((last.settledAt - last.begunAt) / 1_000),
    ...winner === undefined && statusOf(last.outcome),
    answeredAt: winner?.settledAt ?? null,
  };
  return { moments, result };
}

function inTurn(step: DialStep, at: number): Rung[] {
  const all: Rung[] = [];
  for (const leg of step.legs) {
    const one = rung(leg, step, all.at(-1)?.settledAt ?? at);
    all.push(one);
    if (one.outcome === "completed") break;
  }
  return all;
}

function rung(invitation: Invitation, { timeoutS }: DialStep, begunAt: number): Rung {
  const { outcome } = behaviourOf(invitation.to);
  const of = (ms: number, outcome: Rung["outcome"]) => ({
    invitation,
    begunAt,
    settledAt: begunAt + ms,
    outcome,
  });
  const isLate = timeoutS * 1_000 < times.answerMs;
  if (outcome === "no-answer" || outcome === "answered" && isLate) {
    return of(timeoutS * 1_000, "no-answer");
  }
  return outcome === "answered" ? of(times.answerMs, "completed") : of(times.refusalMs, outcome);
}

/** Duration of the conversation with the leg that answered first, in ms. */
function talkMs({ invitation }: Rung, { timeLimitS }: DialStep): number {
  const { hangsUpS = times.talkS } = behaviourOf(invitation.to);
  return Math.min(hangsUpS, timeLimitS) * 1_000;
}

function momentsOf(
  one: Rung,
  winner: Rung | undefined,
  { step, parent }: { step: DialStep; parent: string },
): Moment[] {
  const { invitation, begunAt, settledAt, outcome } = one;
  const { leg, from, to, serviceContext, screened = false } = invitation;
  const invitingAt = begunAt;
  if (winner !== undefined && winner !== one && invitingAt >= winner.settledAt) return [];
  const sipCallId = `${leg}@simulation`;
  const noted = serviceContext === undefined ? {} : { serviceContext };
  const inviting: LegEvent = { type: "inviting", parent, from, to, sipCallId, ...noted };
  const events: [at: number, event: LegEvent, wantsScript?: boolean][] = [[invitingAt, inviting]];
  const isRung = outcome === "completed" || outcome === "no-answer";
  if (isRung) events.push([begunAt + times.ringMs, { type: "ringing" }]);
  const isLost = winner !== undefined && winner !== one && settledAt >= winner.settledAt;
  if (isLost) {
    events.push([winner.settledAt, {
      type: "ended",
      outcome: "canceled",
      disconnection: passedOver,
    }]);
  } else if (one === winner) {
    events.push([settledAt, { type: "answered" }, screened]);
    events.push([settledAt + talkMs(one, step), {
      type: "ended",
      outcome: "completed",
      disconnection: leaves,
    }]);
  } else {
    const disconnection = outcome === "no-answer" ? unanswered : refuses;
    events.push([settledAt, { type: "ended", outcome, ...statusOf(outcome), disconnection }]);
  }
  return events.map(([at, event, wantsScript = false], seq) => ({
    at,
    leg,
    seq,
    event,
    wantsScript,
  }));
}

/** The moments up to `at`, when the dialling leg is done: live legs end then. */
export function cutAt(plan: readonly Moment[], at: number): Moment[] {
  const legs = new Set(plan.map(({ leg }) => leg));
  return [...legs].flatMap((leg) => {
    const own = plan.filter((moment) => moment.leg === leg);
    const [first] = own;
    // It was not rung yet, or it has ended.
    if (first === undefined || first.event.type === "inviting") return [];
    const isTalking = first.event.type === "ended" && first.event.outcome === "completed";
    const outcome = isTalking ? "completed" : "canceled";
    const disconnection = { by: "service", cause: "other-leg" } as const;
    const event: LegEvent = { type: "ended", outcome, disconnection };
    return [{ ...first, at, event, wantsScript: false }];
  });
}
