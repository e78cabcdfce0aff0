import type { LegEvent } from "../../protocol/events.ts";
import { keyInput } from "../../protocol/gather.ts";
import type { Step } from "../../protocol/script.ts";
import { planOf } from "./dial_plan.ts";
import type { Leg } from "./leg.ts";
import type { Line } from "./line.ts";
import { carried, type Finished, type Finisher, goesOn, reported, withInput } from "./step_end.ts";
import { inputOf, secondsOf } from "./step_length.ts";
import { channelsOf } from "./tone.ts";
import { endUssd } from "./ussd.ts";

type StepOf<T extends Step["type"]> = Extract<Step, { type: T }>;

/** Lets a step begin: the leg until the step ends; null where it takes no time. */
export async function begin(leg: Leg, step: Step, line: Line): Promise<Leg | null> {
  if (step.type === "dial") return dialling(leg, step);
  const seconds = secondsOf(step, leg.state);
  if (seconds === 0) return null;
  const due = Math.min(leg.clock + seconds * 1_000, leg.state.endsAt ?? leg.clock);
  if (step.type === "pickup" && !await line.take(leg, step.leg, due)) return null;
  const begun = { begunAt: leg.clock, tookTime: true };
  const waiting = { ...leg, due, state: { ...leg.state, ...begun } };
  const entered = entryOf(step);
  if (entered === null) return waiting;
  await line.report(leg, { event: entered });
  const counted = { ...waiting, seq: leg.seq + 1 };
  if (step.type !== "conference") return counted;
  const { conferenceSid, endOnExit: endsConference } = step;
  return { ...counted, conferenceSid, state: { ...waiting.state, endsConference } };
}

/** The report of a leg that enters a queue or a conference. */
function entryOf(step: Step): LegEvent | null {
  if (step.type === "queue") return { type: "queued", queueSid: step.queueSid };
  if (step.type !== "conference") return null;
  const { conferenceSid, muted, startOnEnter, endOnExit } = step;
  return { type: "joined", conferenceSid, muted, startOnEnter, endOnExit };
}

function dialling(leg: Leg, step: StepOf<"dial">): Leg {
  const { moments, result } = planOf(step, leg.callSid, leg.clock);
  const begun = { begunAt: leg.clock, tookTime: true, plan: moments, dialled: result };
  return { ...leg, state: { ...leg.state, ...begun } };
}

/** Lets a step end, with its report. */
export async function finish(leg: Leg, step: Step, line: Line): Promise<Finished> {
  const found = finishers[step.type] as Finisher<Step> | undefined; // Of the type of the step.
  return await (found ?? notPerformed)(leg, step, line);
}

/** Reports the result of an interrupted step; its action is requested, and not performed. */
export async function abandon(
  leg: Leg,
  step: Step,
  line: Line,
  result: "hangup" | "redirected",
): Promise<Leg> {
  if (step.type === "dial") return (await endDial(leg, step, line, true)).leg;
  if (step.type === "record") return (await endRecord(leg, step, line, true)).leg;
  if (step.type === "conference") return (await endStay(leg, step, line, true)).leg;
  if (step.type === "pickup") {
    await line.release(leg, step.leg);
    return (await endPickup(leg, step, line, true)).leg;
  }
  if (step.type !== "queue") return leg;
  const { taken } = leg.state;
  if (taken !== null) await line.release(leg, taken.by);
  const { queueSid, action } = step;
  const event = {
    type: "dequeued",
    queueSid,
    result: taken === null ? result : "bridged",
    waitedS: taken?.waitedS ?? waitedS(leg),
  } as const;
  return (await reported(leg, { ...event, ...action && { action } }, line, true)).leg;
}

/** Lets a leg leave its queue for the one that took it: the step goes on until the two are done. */
export async function leaveQueue(leg: Leg, step: StepOf<"queue">, line: Line): Promise<Leg> {
  const { taken } = leg.state;
  if (taken === null) return leg;
  const waited = waitedS(leg);
  const event = { type: "dequeued", queueSid: step.queueSid, result: "bridged" } as const;
  await line.report(leg, { event: { ...event, waitedS: waited } });
  const due = Math.max(leg.clock, Math.min(taken.until, leg.state.endsAt ?? taken.until));
  const state = { ...leg.state, taken: { ...taken, waitedS: waited } };
  return { ...leg, seq: leg.seq + 1, due, state };
}

/** Whole seconds since the step of a leg began. */
const waitedS = ({ clock, state: { begunAt } }: Leg): number =>
  Math.round((clock - (begunAt ?? clock)) / 1_000);

const finishers: { readonly [T in Step["type"]]?: Finisher<StepOf<T>> } = {
  answer: goesOn,
  leave: goesOn,
  connect: (leg) => ({ leg, script: [{ type: "hangup" }] }),
  play: goesOn,
  say: goesOn,
  silence: goesOn,
  digits: goesOn,
  echo: goesOn,

  async next(leg, step, line) {
    const { handed, action } = carried(leg, step.action);
    return await reported(handed, { type: "next", action }, line);
  },

  async note(leg, { serviceContext, action: wanted }, line) {
    if (wanted === undefined) return await reported(leg, { type: "noted", serviceContext }, line);
    const { handed, action } = carried(leg, wanted);
    return await reported(handed, { type: "noted", serviceContext, action }, line);
  },

  async consult(leg, { serviceContext, action }, line) {
    const event = { type: "consulting", serviceContext, ...action && { action } } as const;
    const script = await line.report(leg, { event, wantsScript: true });
    return { leg: { ...leg, seq: leg.seq + 1 }, script };
  },

  async gather(leg, step, line) {
    const { keys, words } = inputOf(step, leg.state);
    const taken = withInput(leg, { keys, words });
    const digits = keys === undefined ? "" : typedOf(step, keys);
    if (digits === "" && words === undefined && !step.actionOnEmpty) return goesOn(taken);
    if (step.action === undefined) {
      return goesOn({ ...taken, state: { ...taken.state, typed: digits } });
    }
    const { handed, action } = carried(taken, step.action);
    const speech = words === undefined ? {} : { speech: { text: words, confidence: 1 } };
    return await reported(handed, { type: "gathered", digits, ...speech, action }, line);
  },

  recordLeg(leg, { recording: order, recordingManner }) {
    const channels = channelsOf(recordingManner);
    const recording = { order, channels, since: leg.clock, beforeMs: 0 };
    const recordings = [...leg.state.recordings, recording];
    return goesOn({ ...leg, state: { ...leg.state, recordings } });
  },

  async refer(leg, { to, action: wanted }, line) {
    const event = { type: "referred", to, outcome: "completed", sipStatus: 200 } as const;
    if (wanted === undefined) return await reported(leg, event, line);
    const { handed, action } = carried(leg, wanted);
    return await reported(handed, { ...event, action }, line);
  },

  async queue(leg, { queueSid, action: wanted }, line) {
    const { taken } = leg.state;
    const over = { ...leg, state: { ...leg.state, taken: null } };
    if (wanted === undefined || taken === null) return goesOn(over);
    const { handed, action } = carried(over, wanted);
    const bridged = { queueSid, result: "bridged", waitedS: taken.waitedS ?? 0 } as const;
    return await reported(handed, { type: "dequeued", ...bridged, action }, line);
  },

  pickup: (leg, step, line) => endPickup(leg, step, line),
  conference: (leg, step, line) => endStay(leg, step, line),
  dial: (leg, step, line) => endDial(leg, step, line),
  record: (leg, step, line) => endRecord(leg, step, line),
  ussd: endUssd,
};

/** Keys of the called side, as the step takes them. */
function typedOf({ keys }: StepOf<"gather">, pressed: string): string {
  if (keys === undefined) return "";
  const input = keyInput(keys);
  for (const key of pressed) if (input.take(key) === "done") break;
  return input.typed;
}

async function endStay(
  leg: Leg,
  { conferenceSid, record, action: wanted }: StepOf<"conference">,
  line: Line,
  isOver = false,
): Promise<Finished> {
  const durationS = waitedS(leg);
  const recording = record !== undefined && durationS > 0
    ? await line.record(leg, record, { seconds: durationS, channels: 1 })
    : null;
  const left = { type: "left", conferenceSid, outcome: "completed", durationS } as const;
  const event = { ...left, ...recording && { recording } };
  const out = { ...leg, conferenceSid: null };
  if (wanted === undefined) return await reported(out, event, line);
  const { handed, action } = carried(out, wanted);
  return await reported(handed, { ...event, action }, line, isOver);
}

async function endDial(
  leg: Leg,
  { record, recordingManner, action: wanted }: StepOf<"dial">,
  line: Line,
  isOver = false,
): Promise<Finished> {
  const { dialled } = leg.state;
  if (dialled === null) return goesOn(leg);
  const { answeredAt, ...result } = dialled;
  const hasTalked = answeredAt !== null && leg.clock >= answeredAt;
  const talkedS = hasTalked ? Math.round((leg.clock - answeredAt) / 1_000) : 0;
  const channels = channelsOf(recordingManner);
  const recording = record !== undefined && talkedS > 0
    ? await line.record(leg, record, { seconds: talkedS, channels })
    : null;
  const over = { ...leg, state: { ...leg.state, dialled: null } };
  if (wanted === undefined) return goesOn(over);
  const { handed, action } = carried(over, wanted);
  const outcome = isOver && !hasTalked ? "canceled" : result.outcome;
  const event = { type: "dialled", ...result, outcome, durationS: talkedS, action } as const;
  return await reported(handed, { ...event, ...recording && { recording } }, line, isOver);
}

/** Ends the conversation with a leg of a queue; if that was gone, the service has the next script. */
async function endPickup(
  leg: Leg,
  step: StepOf<"pickup">,
  line: Line,
  isOver = false,
): Promise<Finished> {
  const { leg: other, serviceContext, record, recordingManner, action: wanted } = step;
  if (leg.state.begunAt === null) {
    const missing = { ...serviceContext, gone: other };
    const consult = { type: "consult", serviceContext: missing } as const;
    return { leg, script: [{ ...consult, ...wanted && { action: wanted } }] };
  }
  const durationS = waitedS(leg);
  const channels = channelsOf(recordingManner);
  const recording = record !== undefined && durationS > 0
    ? await line.record(leg, record, { seconds: durationS, channels })
    : null;
  if (wanted === undefined) return goesOn(leg);
  const { handed, action } = carried(leg, wanted);
  const talked = { outcome: "completed", leg: other, durationS, ringS: 0, action } as const;
  const event = { type: "dialled", ...talked, ...recording && { recording } } as const;
  return await reported(handed, event, line, isOver);
}

async function endRecord(
  leg: Leg,
  step: StepOf<"record">,
  line: Line,
  isOver = false,
): Promise<Finished> {
  const seconds = isOver ? waitedS(leg) : secondsOf(step, leg.state);
  const recording = await line.record(leg, step.recording, { seconds, channels: 1 });
  if (step.action === undefined || recording === null) return goesOn(leg);
  const { handed, action } = carried(leg, step.action);
  const event = { type: "recorded", recording, ...isOver && { digits: "hangup" }, action } as const;
  return await reported(handed, event, line, isOver);
}

/** A step that no simulated leg performs: a Notification says so, and the script goes on. */
async function notPerformed(leg: Leg, { type }: Step, line: Line): Promise<Finished> {
  const message = `the step "${type}" is not simulated`;
  return await reported(leg, { type: "problem", url: "", message, about: "simulation" }, line);
}
