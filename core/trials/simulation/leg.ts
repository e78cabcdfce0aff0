/**
 * The time of a simulated leg is that of its call (`core/calls/call_time.ts`): it goes by the steady clock
 * from the wall clock at the start on. A sped-up leg is ahead of it.
 */
import type { Clocks } from "../../base/steady_clock.ts";
import { aheadOf, callTime } from "../../calls/call_time.ts";
import type { Companion } from "../../protocol/companion.ts";
import type { RecordingOrder } from "../../protocol/recordings.ts";
import type { Invitation, Script, Step } from "../../protocol/script.ts";
import type { SimulatedLeg } from "../../model/resources/internal/simulated_legs.ts";
import type { Behaviour } from "../../model/values/test_calls.ts";
import { cutAt, type DialResult, type Moment } from "./dial_plan.ts";

/** The companion that the calls of test accounts are at. It sends no heartbeat, and is never lost. */
export const simulated: Companion = { id: "simulation", runId: "simulation" };

/** State of a simulated leg. */
export interface State {
  phase: "new" | "invited" | "ringing" | "detecting" | "talking";
  behaviour: Behaviour;
  invitation: Invitation;
  timeoutS: number;
  /** Listens for an answering machine, to the end of its greeting; before its script, or beside it. */
  detection: {
    untilEnd: boolean;
    isBeside: boolean;
    isTold: boolean;
    callback: { url: string; method: "GET" | "POST" } | null;
  } | null;
  /** The remaining steps; the first one is being performed. */
  script: Script;
  /** Time at which the first step began; null before that, or for a step that takes no time. */
  begunAt: number | null;
  /** A step that an order of another script broke off. */
  abandoned: Step | null;
  /** Recordings from the answer on. */
  recording: { order: RecordingOrder; channels: 1 | 2 } | null;
  /** Recordings of the leg until its end. */
  recordings: LegRecording[];
  /** Number of its acts. */
  acts: number;
  /** Reports to come of the legs that its Dial has placed. */
  plan: Moment[];
  dialled: DialResult | null;
  /** True when a step of the script let time pass; and the digits of Gathers without an action. */
  tookTime: boolean;
  typed: string;
  /** Numbers of Gathers that took keys and words. */
  gathers: { keys: number; words: number };
  answeredAt: number | null;
  /** Time at which the leg ends in any case; null before the answer. */
  endsAt: number | null;
  /** An order came while it may have been reporting: its call has the number of its reports. */
  isInterrupted: boolean;
  /** The conference that it is in ends when it leaves. */
  endsConference: boolean;
  /**
   * The leg that took this one out of its queue, until when they talk in ms, and how long this leg
   * waited in s; null for the wait until it was reported.
   */
  taken: { by: string; until: number; waitedS: number | null } | null;
  /** Seconds after the answer at which the call is over. */
  longestS: number;
  /** Lead of the time of the leg over the steady clock, in ms; absent in former versions. */
  clockAheadMs?: number | null;
}

/** A recording of a leg: `since` is null while it pauses, `beforeMs` the audio before that. */
export interface LegRecording {
  order: RecordingOrder;
  channels: 1 | 2;
  since: number | null;
  beforeMs: number;
}

/** A leg with its state. */
export interface Leg extends Omit<SimulatedLeg, "state"> {
  state: State;
}

export const opened = (record: SimulatedLeg): Leg => ({
  ...record,
  state: JSON.parse(record.state) as State, // It is what `closed` wrote.
});

export const closed = ({ state, ...leg }: Leg): SimulatedLeg => ({
  ...leg,
  state: JSON.stringify(state),
});

/** The Sid of the simulated leg of a call. */
export const legSidOf = (callSid: string): string => `TL${callSid.slice(2)}`;

/** The present by the time of a leg, or a point of the steady clock, in ms. */
export const legTime = (
  { state: { clockAheadMs = null } }: Leg,
  clocks: Clocks,
  steadyAt = clocks.steadyNow(),
): number => callTime({ clockAheadMs }, clocks, steadyAt);

/** A point of the time of a leg by the steady clock, in ms. */
export const steadyTime = (
  { state: { clockAheadMs = null } }: Leg,
  clocks: Clocks,
  at: number,
): number => at - aheadOf({ clockAheadMs }, clocks);

/** Time of an order from outside: a sped-up leg is ahead of the clock. */
const timeAt = ({ clock, isReal }: Leg, now: number): number =>
  isReal ? Math.max(clock, now) : clock;

/** The leg after an order of another script: its step is over, and legs that it dialled end. */
export function interrupted(leg: Leg, script: Script, now: number): Leg {
  const clock = timeAt(leg, now);
  const cut = { ...leg.state, plan: cutAt(leg.state.plan, clock), isInterrupted: true };
  const next = { ...leg, clock, due: clock, turn: leg.turn + 1 };
  if (script[0]?.type === "hangup") return { ...next, state: { ...cut, endsAt: clock } };
  if (leg.state.phase !== "talking") return leg; // Only a hang-up makes sense before the answer.
  const { begunAt, script: [step = null], abandoned } = leg.state;
  const fresh = { abandoned: abandoned ?? (begunAt === null ? null : step), tookTime: false };
  return { ...next, state: { ...cut, ...fresh, script } };
}

/** The leg after the end of what it waits for. */
export function waitedEnough(leg: Leg, now: number): Leg {
  const clock = timeAt(leg, now);
  const state = { ...leg.state, isInterrupted: true };
  return { ...leg, clock, due: clock, turn: leg.turn + 1, state };
}

/** The leg after another one took it out of its queue; the leg itself where it does not wait in one. */
export function takenBy(leg: Leg, by: string, { at, until }: { at: number; until: number }): Leg {
  const { begunAt, script: [step], taken } = leg.state;
  const isWaiting = step?.type === "queue" && begunAt !== null && taken === null;
  if (!isWaiting) return leg;
  const clock = Math.max(leg.clock, at);
  const state = { ...leg.state, taken: { by, until, waitedS: null }, isInterrupted: true };
  return { ...leg, clock, due: clock, turn: leg.turn + 1, state };
}

/** True for a leg that talks to another one: it took that out of a queue, or was taken. */
export const isTalking = ({ state: { begunAt, script: [step], taken } }: Leg): boolean =>
  begunAt !== null && (step?.type === "pickup" || step?.type === "queue" && taken !== null);

/** Seconds that a recording has at a time. */
export const recordedS = ({ since, beforeMs }: LegRecording, at: number): number =>
  (beforeMs + (since === null ? 0 : at - since)) / 1_000;

/** The leg with other recordings; its step goes on. Nothing is recorded before the answer. */
export function withRecordings(
  leg: Leg,
  now: number,
  change: (recordings: LegRecording[], at: number) => LegRecording[],
): Leg {
  if (leg.state.phase !== "talking") return leg;
  const recordings = change(leg.state.recordings, timeAt(leg, now));
  const state = { ...leg.state, recordings, isInterrupted: true };
  return { ...leg, turn: leg.turn + 1, state };
}
