import type { Base } from "../base/record.ts";
import { method } from "../base/fields.ts";
import {
  type OutgoingCallerId,
  outgoingCallerIds as definition,
} from "../resources/outgoing_caller_ids.ts";
import { equal } from "./noun/filters.ts";
import { action, needs, noun, refused, works } from "./noun/noun.ts";
import { asFields, changed, fetched, listedOf, made, removed } from "./noun/regular.ts";
import { basic } from "./noun/written.ts";

const { fields } = definition;

/** Numbers of the customer's own that may be shown to callees. */
export const outgoingCallerIds = noun<OutgoingCallerId>({
  type: "OutgoingCallerId",
  path: "OutgoingCallerIds",
  plural: "outgoing_caller_ids",
  fields: {
    ...basic,
    friendly_name: ({ friendlyName }) => friendlyName,
    phone_number: ({ phoneNumber }) => phoneNumber,
  },
  address: ({ sid }) => `OutgoingCallerIds/${sid}`,
  fetch: fetched("outgoingCallerIds"),
  update: action({
    parameters: { FriendlyName: works(fields.friendlyName) },
    perform: (asked, sent) => changed("outgoingCallerIds", asFields(sent), asked),
  }),
  remove: removed("outgoingCallerIds"),
  listed: listedOf("outgoingCallerIds", {
    PhoneNumber: equal("phoneNumber"),
    FriendlyName: equal("friendlyName"),
  }),
});

const noCall = "the number is added at once, by the rules of this service; no call is made";

/** Adds a number: by the rules of this service, nobody is called. */
export const validationRequests = noun<OutgoingCallerId>({
  type: "ValidationRequest",
  path: "OutgoingCallerIds",
  plural: "validation_requests",
  note: noCall,
  fields: {
    account_sid: ({ accountSid }: Base) => accountSid,
    phone_number: ({ phoneNumber }) => phoneNumber,
    friendly_name: ({ friendlyName }) => friendlyName,
    validation_code: () => null,
    call_sid: () => null,
  },
  address: null,
  create: action({
    parameters: {
      PhoneNumber: needs(fields.phoneNumber),
      FriendlyName: works(fields.friendlyName),
      CallDelay: refused(noCall, ["0"]),
      Extension: refused(noCall),
      StatusCallback: refused(noCall),
      StatusCallbackMethod: works(method, "without effect, as there is no callback"),
    },
    faults: { PhoneNumber: "badPhoneNumber" },
    perform: (asked, { PhoneNumber: phoneNumber, FriendlyName: friendlyName }) =>
      made("outgoingCallerIds", { phoneNumber, ...friendlyName && { friendlyName } }, asked),
  }),
});
