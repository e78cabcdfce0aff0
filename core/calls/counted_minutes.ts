import type { Job } from "../model/job.ts";
import { countMinute } from "../model/job_kinds.ts";
import type { Call } from "../model/resources/calls.ts";

export const minuteMs = 60_000;

/** Lead by which the limits of money count a minute before it begins. */
export const countedBeforeMs = 10_000;

/**
 * Lead by which a call is ended before a minute that is not paid: its price is by the minute begun, so the
 * BYE has to be there before.
 */
export const endedBeforeMs = 1_500;

/**
 * Time after the counted minutes at which a companion ends a call that no service counts on: a
 * service may be away for a minute, and calls then cost one minute more at most.
 */
const graceMs = minuteMs;

/** Ms from the answer to the end of a call whose minutes up to one are counted, without a service. */
export const boundOf = (minutes: number): number => minutes * minuteMs + graceMs - endedBeforeMs;

/** Minutes that a call has begun, and will be charged, at an instant in ms; at least one. */
export const minutesBegun = ({ answeredAt }: Call, now: number): number =>
  answeredAt === null ? 1 : Math.max(1, Math.ceil((now - answeredAt) / minuteMs));

/** Returns whether limits count the minutes of a call. */
export const isCounted = ({ limitedBy, rateMicros }: Call): boolean =>
  Boolean(limitedBy?.length && rateMicros);

/** The job that counts the next minute of an answered call; none where nothing counts it. */
export function countingOf(call: Call): Job[] {
  const { accountSid, sid: callSid, answeredAt, countedMinutes } = call;
  if (!isCounted(call) || answeredAt === null) return [];
  const counted = countedMinutes ?? 1;
  const beginsAt = answeredAt + counted * minuteMs;
  const args = { accountSid, callSid, minute: counted + 1, beginsAt };
  return [countMinute(args, beginsAt - countedBeforeMs)];
}
