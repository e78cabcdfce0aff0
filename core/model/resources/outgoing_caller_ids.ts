import { z } from "zod";
import { Fault } from "../../base/faults.ts";
import { phoneText } from "../../base/fields.ts";
import { limits } from "../../base/limits.ts";
import { dialString, e164Of } from "../values/dialled.ts";
import { formatNumber, parseNumber } from "../values/phone_number.ts";
import { withMark } from "./internal/removed_records.ts";
import { type RecordOf, resource } from "../resource.ts";

const notPossible = "must be a possible number in E.164 form, + first";

/**
 * Returns the number of an OutgoingCallerId in E.164 form, where `country` has the numbers without `+`. Throws
 * `badPhoneNumber` where none is possible.
 */
export function ownedNumber(phoneNumber: string, country: string | null): string {
  const number = e164Of(phoneNumber, country);
  if (number === null) throw new Fault("badPhoneNumber", `PhoneNumber ${notPossible}`);
  return number;
}

/** A number of the customer's own, to be shown to those it calls. */
export const outgoingCallerIds = resource({
  type: "OutgoingCallerId",
  description: "A phone number of the customer's own that may be used as caller ID.",
  path: "OutgoingCallerIds",
  sidPrefix: "PN",
  storedAs: "OC",
  fields: {
    friendlyName: z.string().min(1).max(limits.friendlyNameLength).describe(
      "Name of the number, for people; its national form unless set.",
    ),
    // The operation reads one without +, by DEFAULT_COUNTRY.
    phoneNumber: phoneText().transform((text, { addIssue }) => {
      const number = e164Of(text, null) ?? dialString(text);
      if (number === null || number.startsWith("+") && parseNumber(number) === null) {
        addIssue(notPossible);
      }
      return number ?? "";
    }).describe("The number in E.164 form."),
  },
  create: { required: ["phoneNumber"], optional: ["friendlyName"] },
  update: ["friendlyName"],
  defaults: { friendlyName: ({ phoneNumber }) => formatNumber(phoneNumber) },
  filters: { phoneNumber: "equals", friendlyName: "equals" },
  faults: { phoneNumber: "badPhoneNumber" },
  removable: true,
  removed: (callerId) => ({ record: callerId, ...withMark(callerId) }),
});

export type OutgoingCallerId = RecordOf<typeof outgoingCallerIds>;
