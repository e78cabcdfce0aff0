import { pushUssd } from "../jobs/push_ussd.ts";
import type { Parameters } from "../parameters.ts";
import type { Base, Change } from "../ports.ts";
import { paramsSchema, withDefaults } from "../resource.ts";
import { type Call, calls } from "../resources/calls.ts";

const optional = [
  "method",
  "fallbackUrl",
  "fallbackMethod",
  "statusCallback",
  "statusCallbackMethod",
  "statusCallbackEvent",
  "timeout",
] as const;

/** What pushing a USSD dialogue takes: a subscriber's number, and where what is shown comes from. */
export const pushParameters: Parameters = {
  schema: paramsSchema(calls.fields, ["from", "to", "url"], [...optional]).extend({
    to: calls.fields.to.regex(/^\+?[0-9*#][0-9*#().\- ]*$/, "must be a phone number"),
  }),
  aliases: calls.aliases ?? {},
  faults: calls.faults ?? {},
};

/** The call that a pushed USSD dialogue is, with the job that begins it. */
export function pushed(sent: Record<string, unknown>, base: Base): Change<Call> {
  const record = { ...base, ...withDefaults(calls, { ...sent, isUssd: true }) } as Call;
  const { accountSid, sid: callSid } = record;
  return { record, jobs: [pushUssd({ accountSid, callSid })] };
}
