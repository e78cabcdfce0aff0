import type { Disconnection } from "../../protocol/disconnection.ts";
import type { LegEvent, Outcome } from "../../protocol/events.ts";
import type { Script } from "../../protocol/script.ts";
import { cutAt, statusOf } from "./dial_plan.ts";
import { type Leg, recordedS, type State } from "./leg.ts";
import type { Line } from "./line.ts";
import { abandon, begin, finish, leaveQueue } from "./steps.ts";
import { simulationLimits, simulationTimes as times } from "./times.ts";

/**
 * Does what is due of a leg, at its time, and reports it as a companion does. The leg as it is then,
 * with what is due next; null once it has ended.
 */
export async function act(before: Leg, line: Line): Promise<Leg | null> {
  const leg = counting({ ...before, clock: before.due });
  const { plan, endsAt, phase, abandoned } = leg.state;
  const [moment, ...later] = plan;
  if (moment !== undefined && moment.at <= leg.clock) {
    await line.report(leg, moment);
    return { ...leg, state: { ...leg.state, plan: later } };
  }
  if (hasToTell(leg)) return await reportDetection(leg, line);
  if (abandoned !== null) {
    const left = await abandon(leg, abandoned, line, "redirected");
    return { ...left, state: { ...left.state, abandoned: null, begunAt: null } };
  }
  const isOver = endsAt !== null && leg.clock >= endsAt;
  if (isOver && plan.length > 0) {
    return { ...leg, state: { ...leg.state, plan: cutAt(plan, leg.clock) } };
  }
  if (isOver) return await leave(leg, line);
  if (moment !== undefined) return { ...leg, due: Math.min(moment.at, endsAt ?? moment.at) };
  return await phases[phase](leg, line);
}

/** True where the answerer was detected beside the script, and is not reported yet. */
const hasToTell = ({ state: { detection, phase } }: Leg): boolean =>
  phase === "talking" && detection !== null && detection.isBeside && !detection.isTold;

function detectedOf({ state: { behaviour: { answeredBy }, detection } }: Leg): LegEvent {
  const callback = detection?.callback;
  // Each simulated machine beeps.
  const hasBeeped = answeredBy === "machine" && detection?.untilEnd;
  const greeting = {
    durationMs: times.detectionMs,
    ...hasBeeped && { greetingEnd: "beep" as const },
    ...callback && { callback },
  };
  return { type: "detected", answeredBy, ...greeting };
}

async function reportDetection(leg: Leg, line: Line): Promise<Leg> {
  await line.report(leg, { event: detectedOf(leg) });
  const { detection } = leg.state;
  const state = { ...leg.state, detection: detection && { ...detection, isTold: true } };
  return { ...leg, seq: leg.seq + 1, state };
}

/** A leg that does too much hangs up. */
function counting(leg: Leg): Leg {
  const acts = leg.state.acts + 1;
  const endsAt = acts > simulationLimits.acts ? leg.clock : leg.state.endsAt;
  return { ...leg, state: { ...leg.state, acts, endsAt } };
}

/** Ends a leg before its script has ended. */
async function leave(leg: Leg, line: Line): Promise<null> {
  const { answeredAt, begunAt, script: [step], behaviour: { hangsUpS = Infinity } } = leg.state;
  if (answeredAt === null) return await end(leg, "canceled", line, ordered);
  const isBroken = begunAt !== null && step !== undefined;
  const left = isBroken ? await abandon(leg, step, line, "hangup") : leg;
  const hasLeft = leg.clock >= answeredAt + hangsUpS * 1_000;
  return await end(left, "completed", line, hasLeft ? { by: "remote", cause: "bye" } : ordered);
}

const ordered: Disconnection = { by: "service", cause: "request" };

const after = (leg: Leg, ms: number, changes: Partial<State>): Leg => ({
  ...leg,
  due: leg.clock + ms,
  state: { ...leg.state, ...changes },
});

async function end(
  leg: Leg,
  outcome: Outcome,
  line: Line,
  disconnection: Disconnection,
): Promise<null> {
  for (const recording of leg.state.recordings) {
    const { order, channels } = recording;
    await line.record(leg, order, { seconds: recordedS(recording, leg.clock), channels });
  }
  await line.report(leg, {
    event: { type: "ended", outcome, ...statusOf(outcome), disconnection },
  });
  return null;
}

type Phase = (leg: Leg, line: Line) => Promise<Leg | null>;

const phases: Record<State["phase"], Phase> = {
  async new(leg, line) {
    const { from, to, leg: sid, serviceContext } = leg.state.invitation;
    const sent = { from, to, sipCallId: `${sid}@simulation` };
    const event = { type: "inviting", ...sent, ...serviceContext && { serviceContext } } as const;
    if (await isOver(leg, event, line)) return await end(leg, "canceled", line, ordered);
    const { outcome } = leg.state.behaviour;
    const isRung = outcome === "answered" || outcome === "no-answer";
    const waited = isRung ? times.ringMs : times.refusalMs;
    return after(counted(leg), waited, { phase: "invited" });
  },

  async invited(leg, line) {
    const { behaviour: { outcome }, timeoutS } = leg.state;
    if (outcome === "busy" || outcome === "failed") {
      return await end(leg, outcome, line, { by: "remote", cause: "refused" });
    }
    if (await isOver(leg, { type: "ringing" }, line)) {
      return await end(leg, "canceled", line, ordered);
    }
    const untilMs = outcome === "no-answer" ? Infinity : times.answerMs;
    const ringMs = Math.min(untilMs, timeoutS * 1_000) - times.ringMs;
    return after(counted(leg), Math.max(0, ringMs), { phase: "ringing" });
  },

  async ringing(leg, line) {
    const { behaviour: { outcome }, timeoutS, detection } = leg.state;
    const isLate = timeoutS * 1_000 < times.answerMs;
    if (outcome === "no-answer" || isLate) {
      return await end(leg, "no-answer", line, { by: "service", cause: "timeout" });
    }
    if (leg.state.invitation.ussd !== undefined) {
      if (await isOver(leg, { type: "answered" }, line)) {
        return await end(leg, "completed", line, ordered);
      }
      return after(counted(leg), 0, { phase: "talking", ...answered(leg) });
    }
    if (detection === null || detection.isBeside) {
      return await talk(leg, { type: "answered" }, line);
    }
    if (await isOver(leg, { type: "answered" }, line)) {
      return await end(leg, "completed", line, ordered);
    }
    const isGreeting = detection.untilEnd && leg.state.behaviour.answeredBy === "machine";
    const waited = times.detectionMs + (isGreeting ? times.greetingMs : 0);
    return after(counted(leg), waited, { phase: "detecting", ...answered(leg) });
  },

  async detecting(leg, line) {
    return await talk(leg, detectedOf(leg), line);
  },

  async talking(leg, line) {
    const [step, ...left] = leg.state.script;
    if (step === undefined || step.type === "hangup" || step.type === "reject") {
      const cause = step === undefined
        ? "script-end"
        : step.type === "hangup" && step.cause || "hangup";
      return await end(leg, "completed", line, { by: "service", cause });
    }
    const { taken } = leg.state;
    if (step.type === "queue" && taken?.waitedS === null) return await leaveQueue(leg, step, line);
    if (leg.state.begunAt === null) {
      const begun = await begin(leg, step, line);
      if (begun !== null) return begun;
    }
    const { leg: finished, script } = await finish(leg, step, line);
    const isReplacing = script.length > 0 && step.type !== "consult" && step.type !== "pickup";
    const state: State = {
      ...finished.state,
      script: isReplacing ? script : [...script, ...left],
      begunAt: null,
      ...isReplacing && { tookTime: false },
    };
    return { ...finished, due: finished.clock, state };
  },
};

const counted = (leg: Leg): Leg => ({ ...leg, seq: leg.seq + 1 });

/** True when the call has ended meanwhile, by the answer to a report. */
const isOver = async (leg: Leg, event: LegEvent, line: Line): Promise<boolean> =>
  (await line.report(leg, { event })).some(({ type }) => type === "hangup");

function answered(leg: Leg): Pick<State, "answeredAt" | "endsAt" | "recordings"> {
  const { behaviour: { hangsUpS = Infinity }, longestS } = leg.state;
  const talkS = Math.min(hangsUpS, longestS);
  const { recording } = leg.state;
  const recordings = recording === null ? [] : [{ ...recording, since: leg.clock, beforeMs: 0 }];
  return { answeredAt: leg.clock, endsAt: leg.clock + talkS * 1_000, recordings };
}

/** The script begins that answers an event. */
async function talk(leg: Leg, event: LegEvent, line: Line): Promise<Leg> {
  const script: Script = await line.report(leg, { event, wantsScript: true });
  const state = { ...leg.state, ...leg.state.answeredAt === null && answered(leg) };
  return after({ ...counted(leg), state }, 0, { phase: "talking", script });
}
