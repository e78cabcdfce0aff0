import { placeParameters } from "../calls/placed_by.ts";
import { pushUssd } from "../model/job_kinds.ts";
import type { Parameters } from "../model/rest/parameters.ts";
import type { Base } from "../base/record.ts";
import type { Change } from "../model/store.ts";
import { withDefaults } from "../model/resource.ts";
import { type Call, calls, numberPattern } from "../model/resources/calls.ts";

/** Parameters that push a USSD dialogue: those of a call to a subscriber's number. */
export const pushParameters: Parameters = {
  ...placeParameters,
  schema: placeParameters.schema
    .omit({
      machineDetection: true,
      machineDetectionTimeout: true,
      machineDetectionSpeechThreshold: true,
      machineDetectionSpeechEndThreshold: true,
      machineDetectionSilenceTimeout: true,
    })
    .extend({
      to: calls.fields.to.regex(new RegExp(`^${numberPattern}$`), "must be a phone number")
        .describe("Phone number of the subscriber, in E.164 form."),
    }),
};

/** The call that a pushed USSD dialogue is, with the job that begins it. */
export function pushed(sent: Record<string, unknown>, base: Base): Change<Call> {
  const record = { ...base, ...withDefaults(calls, { ...sent, isUssd: true }) } as Call;
  const { accountSid, sid: callSid } = record;
  return { record, jobs: [pushUssd({ accountSid, callSid })] };
}
