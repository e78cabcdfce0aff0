import type { Base } from "../base/record.ts";
import { method, url, wholeNumber } from "../base/fields.ts";
import { limits } from "../base/limits.ts";
import { validationCall } from "../calls/validation_call.ts";
import { digits } from "../protocol/gather.ts";
import type { Call } from "../model/resources/calls.ts";
import { mostCallDelayS } from "../model/resources/views/validation_requests.ts";
import { placed } from "./calls.ts";
import {
  type OutgoingCallerId,
  outgoingCallerIds as definition,
} from "../model/resources/outgoing_caller_ids.ts";
import { equal, numbered } from "./noun/filters.ts";
import { action, needs, noun, works } from "./noun/noun.ts";
import { asFields, changed, fetched, listedOf, removed } from "./noun/regular.ts";
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
    PhoneNumber: numbered("phoneNumber"),
    FriendlyName: equal("friendlyName"),
  }),
});

/** Calls a number, which is added when the callee types the code that the response has. */
export const validationRequests = noun<Call>({
  type: "ValidationRequest",
  path: "OutgoingCallerIds",
  plural: "validation_requests",
  note: "the number is called from a number of the account, and added when the callee types the " +
    "code; an account without a number gets 400 (21210); the root account adds a number at once " +
    "by POST OutgoingCallerIds at /2012-04-24",
  fields: {
    account_sid: ({ accountSid }: Base) => accountSid,
    phone_number: ({ validation }) => validation?.phoneNumber ?? null,
    friendly_name: ({ validation }) => validation?.friendlyName ?? null,
    validation_code: ({ validation }) => validation?.code ?? null,
    call_sid: ({ sid }) => sid,
  },
  address: null,
  create: action({
    parameters: {
      PhoneNumber: needs(fields.phoneNumber),
      FriendlyName: works(fields.friendlyName),
      CallDelay: works(
        wholeNumber(0, mostCallDelayS),
        "seconds until the number is called",
      ),
      Extension: works(digits.max(limits.sentDigits), "keys that are sent first"),
      StatusCallback: works(url, "is requested at the end of the call, with VerificationStatus"),
      StatusCallbackMethod: works(method),
    },
    faults: { PhoneNumber: "badPhoneNumber" },
    async perform(asked, sent) {
      const wanted = await validationCall(
        {
          phoneNumber: sent.PhoneNumber,
          friendlyName: sent.FriendlyName,
          callDelay: sent.CallDelay,
          extension: sent.Extension,
          statusCallback: sent.StatusCallback,
          statusCallbackMethod: sent.StatusCallbackMethod,
        },
        asked.account,
        asked.ports,
      );
      return await placed(wanted, asked);
    },
  }),
});
