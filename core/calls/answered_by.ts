import { limits } from "../base/limits.ts";
import type { Call } from "../model/resources/calls.ts";

type Answered = Pick<Call, "answeredBy" | "greetingEnd" | "machineDetection">;

/** `AnsweredBy` of a call at Twilio's interface. */
export function twilioAnswerer(
  { answeredBy, greetingEnd, machineDetection }: Answered,
): string | null {
  if (answeredBy !== "machine") return answeredBy;
  if (greetingEnd) return `machine_end_${greetingEnd}`;
  return machineDetection === "DetectMessageEnd" ? "machine_end_other" : "machine_start";
}

/** `AnsweredBy` at the interface that placed the call. */
export const answeredByShown = (call: Answered & Pick<Call, "apiVersion">): string | null =>
  call.apiVersion === limits.twilioApiVersion ? twilioAnswerer(call) : call.answeredBy;
