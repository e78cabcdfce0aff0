import { z } from "zod";
import { method, url, wholeNumber } from "../../../base/fields.ts";
import { limits } from "../../../base/limits.ts";
import { digits } from "../../../protocol/gather.ts";
import type { Base } from "../../../base/record.ts";
import type { AnyResource } from "../../resource.ts";
import type { Parameters } from "../../rest/parameters.ts";
import type { Call } from "../calls.ts";
import { outgoingCallerIds } from "../outgoing_caller_ids.ts";

const { phoneNumber, friendlyName } = outgoingCallerIds.fields;

/** Seconds by which the call of a ValidationRequest may be delayed. */
export const mostCallDelayS = 60;

/**
 * Call that requests a code from the owner of a number, before the number may be shown as caller
 * ID.
 */
export const validationRequests: AnyResource = {
  type: "ValidationRequest",
  description:
    "A call to a phone number whose owner types a code; the number is then added to the " +
    "OutgoingCallerIds of the account.",
  path: "OutgoingCallerIds/ValidationRequests",
  sidPrefix: "",
  irregular: true,
  fields: {
    phoneNumber: z.string().describe("The number that is called, in E.164 form."),
    friendlyName: z.string().describe("Name that the OutgoingCallerId gets."),
    validationCode: z.string().describe("The six digits that the owner of the number types."),
    callSid: z.string().describe("Sid of the Call that asks for the code."),
  },
  hidden: ["sid", "dateCreated", "dateUpdated"],
};

/** The parameters of a ValidationRequest. */
export const validationParameters: Parameters = {
  schema: z.object({
    phoneNumber,
    friendlyName: friendlyName.optional(),
    callDelay: wholeNumber(0, mostCallDelayS).optional().describe(
      "Seconds until the number is called.",
    ),
    extension: digits.max(limits.sentDigits).optional().describe(
      "Keys that are sent once the call is answered, before the code is asked for.",
    ),
    statusCallback: url.optional().describe(
      "URL that is requested at the end of the call, with VerificationStatus.",
    ),
    statusCallbackMethod: method.optional().describe("Method of that request."),
  }),
  faults: { phoneNumber: "badPhoneNumber" },
};

/** The ValidationRequest that a call performs, as responses show it. */
export function validationRequestOf({ sid, accountSid, dateCreated, validation }: Call): Base {
  const { phoneNumber, friendlyName, code } = validation ?? {};
  const shown = { phoneNumber, friendlyName, validationCode: code, callSid: sid };
  const base = { sid: "", accountSid, dateCreated, dateUpdated: dateCreated };
  return { ...base, ...shown } as Base;
}
