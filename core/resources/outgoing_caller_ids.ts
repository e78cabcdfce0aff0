import { z } from "zod";
import { phoneText } from "../base/fields.ts";
import { limits } from "../base/limits.ts";
import { formatNumber, parseNumber } from "../values/phone_number.ts";
import { type RecordOf, resource } from "../model/resource.ts";

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
    phoneNumber: phoneText().transform((text, { addIssue }) => {
      const number = parseNumber(text);
      if (number === null) addIssue("must be a possible number in E.164 form, + first");
      return number?.phoneNumber ?? "";
    }).describe("The number in E.164 form."),
  },
  create: { required: ["phoneNumber"], optional: ["friendlyName"] },
  update: ["friendlyName"],
  defaults: { friendlyName: ({ phoneNumber }) => formatNumber(phoneNumber) },
  filters: { phoneNumber: "equals", friendlyName: "equals" },
  faults: { phoneNumber: "badPhoneNumber" },
  removable: true,
});

export type OutgoingCallerId = RecordOf<typeof outgoingCallerIds>;
