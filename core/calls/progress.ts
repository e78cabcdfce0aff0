import type { Outcome } from "../protocol/events.ts";
import { deliverWebhook } from "../webhooks/deliver.ts";
import type { Job } from "../model/job.ts";
import { limitCall } from "../model/job_kinds.ts";
import type { Change } from "../model/store.ts";
import type { Call } from "../model/resources/calls.ts";
import { money } from "../usage/summarize.ts";
import { rfc2822 } from "../base/wire.ts";
import { countingOf } from "./counted_minutes.ts";
import { callParameters } from "./parameters.ts";
import { type CallbackEvent, type CallStatus, isLive } from "../model/values/status.ts";

/** A step of a call's life: its INVITE going out, or a status. */
export type Step = "initiated" | Exclude<CallStatus, "queued">;

/** Time of a step by the time of the call (`call_time.ts`), in ms, and the instance that reports it. */
export interface Moment {
  at: number;
  instanceId: string;
}

/** The statuses each step may follow. A late or repeated report finds none and changes nothing. */
export const follows: Record<Step, readonly CallStatus[]> = {
  "initiated": ["queued"],
  "ringing": ["queued"],
  "in-progress": ["queued", "ringing"],
  "completed": ["in-progress"],
  "busy": ["queued", "ringing"],
  "no-answer": ["queued", "ringing"],
  "canceled": ["queued", "ringing"],
  "failed": ["queued", "ringing"],
};

/** Moves a call on, with the callback that this causes, and its charge by the minute begun. */
export function progress(call: Call, step: Step, moment: Moment): Change<Call> {
  const isRepeated = step === "initiated" && call.initiated;
  if (isRepeated || !follows[step].includes(call.status)) return { record: call };

  const { at } = moment;
  const moved: Call = { ...call, dateUpdated: at };
  if (step === "initiated") return fire({ ...moved, ...begun(call, at) }, "initiated", moment);
  moved.status = step;
  if (step === "ringing") {
    // An inbound call has the status ringing from the start, whatever its caller hears.
    const ringingAt = call.direction === "inbound" ? null : at;
    return fire({ ...moved, ringingAt }, "ringing", moment);
  }
  if (step === "in-progress") {
    const answered = fire({ ...moved, ...begun(call, at), answeredAt: at }, "answered", moment);
    const { record } = answered;
    const timed = [...endOfTime(record), ...countingOf(record)];
    return { ...answered, jobs: [...answered.jobs ?? [], ...timed] };
  }
  const seconds = call.answeredAt === null ? 0 : Math.max(0, at - call.answeredAt) / 1000;
  // Each minute begun costs the rate that held when the call was placed.
  const minutes = Math.ceil(seconds / 60);
  const priceMicros = minutes * (call.rateMicros ?? 0); // A call stored by a version without rates has none.
  const ended = { endTime: at, duration: Math.round(seconds), price: money(priceMicros) };
  const change = fire({ ...moved, ...ended }, "completed", moment);
  if (step !== "completed") return change;
  return { ...change, charges: [{ category: "calls", priceMicros, usage: minutes, at }] };
}

/**
 * Ends a live call: an answered one becomes `completed`, another gets the outcome. `why`: the side that
 * ended it, where that was reported.
 */
export function end(
  call: Call,
  outcome: Outcome,
  moment: Moment,
  why?: Call["disconnection"],
): Change<Call> {
  if (!isLive(call.status)) return { record: call };
  const ended = why ? { ...call, disconnection: { ...requestedBy(call, why), ...why } } : call;
  if (call.status === "in-progress") return progress(ended, "completed", moment);
  return progress(ended, outcome === "completed" ? "failed" : outcome, moment);
}

/** The requester of the end, noted in the call before its companion reported the end. */
const requestedBy = ({ disconnection }: Call, { cause }: NonNullable<Call["disconnection"]>) => {
  const requester = cause === "request" ? disconnection?.requester : undefined;
  return requester && { requester };
};

/** The outcome of a call when its caller hangs up. */
export function statusAfterHangUp({ status }: Call): CallStatus {
  if (!isLive(status)) return status;
  return status === "in-progress" ? "completed" : "canceled";
}

/** The job that ends an answered call at its TimeLimit, where it has one. */
export function endOfTime(call: Call): Job[] {
  const { accountSid, sid: callSid, answeredAt, timeLimit, clockAheadMs } = call;
  if (!timeLimit || answeredAt === null) return []; // A call stored by a version without limits has none.
  const endsAt = answeredAt + timeLimit * 1_000;
  const due = typeof clockAheadMs === "number" // Calls of former versions lack it.
    ? { steadyDueAt: endsAt - clockAheadMs }
    : { dueAt: endsAt };
  return [{ ...limitCall({ accountSid, callSid }), ...due }];
}

const begun = (call: Call, at: number) => ({ initiated: true, startTime: call.startTime ?? at });

/** Result of a call that validates a number; empty for any other call. */
function validationParameters({ validation }: Call): Record<string, string> {
  if (!validation) return {};
  const { callerIdSid } = validation;
  if (callerIdSid === null) return { VerificationStatus: "failed" };
  return { VerificationStatus: "success", OutgoingCallerIdSid: callerIdSid };
}

/** Adds the callback of an event when the call asked for it. `completed` is the default. */
function fire(call: Call, event: CallbackEvent, { at, instanceId }: Moment): Change<Call> {
  const { statusCallback: url, statusCallbackMethod: method, statusCallbackEvent: asked } = call;
  const isAsked = asked.length === 0 ? event === "completed" : asked.includes(event);
  if (url === null || !isAsked) return { record: call };

  const status = event === "initiated" ? "initiated" : call.status;
  const params = {
    ...callParameters(call, { instanceId, status }),
    ...(call.phoneNumberSid === null ? {} : call.dialled),
    ...(event === "completed" ? { CallDuration: String(call.duration ?? 0) } : {}),
    ...(event === "completed" ? validationParameters(call) : {}),
    Timestamp: rfc2822(at),
    CallbackSource: "call-progress-events",
    SequenceNumber: String(call.sequence),
  };
  const { accountSid, sid: callSid } = call;
  return {
    record: { ...call, sequence: call.sequence + 1 },
    jobs: [deliverWebhook({ accountSid, callSid, url, method, params, event: `call.${event}` })],
  };
}
