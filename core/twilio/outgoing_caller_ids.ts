import type { Base } from "../base/record.ts";
import { Fault } from "../base/faults.ts";
import { method, url, wholeNumber } from "../base/fields.ts";
import { limits } from "../base/limits.ts";
import { validationUrls } from "../flows/address.ts";
import { digits } from "../protocol/gather.ts";
import type { Call } from "../resources/calls.ts";
import { formatNumber } from "../values/phone_number.ts";
import { placed } from "./calls.ts";
import {
  type OutgoingCallerId,
  outgoingCallerIds as definition,
} from "../resources/outgoing_caller_ids.ts";
import { equal } from "./noun/filters.ts";
import { action, type Asked, needs, noun, works } from "./noun/noun.ts";
import { asFields, changed, fetched, given, listedOf, removed } from "./noun/regular.ts";
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

/** Seconds after which the call that asks for the code is ended. */
const validationS = 180;
/** Seconds by which it may be delayed. */
const mostDelayS = 60;

/** A number of the account's that the call may come from. Throws `callerIdNotAllowed` where it has none. */
async function ownNumber({ account, ports }: Asked): Promise<string> {
  const first = { where: [], skip: 0, limit: 1 };
  const { incomingPhoneNumbers, outgoingCallerIds } = ports.records;
  const [number] = (await incomingPhoneNumbers.list(account.sid, first)).items;
  const [validated] = (await outgoingCallerIds.list(account.sid, first)).items;
  const found = number?.phoneNumber ?? validated?.phoneNumber;
  if (found !== undefined) return found;
  const cure = "buy a number, or add one by POST OutgoingCallerIds at /2012-04-24";
  throw new Fault(
    "callerIdNotAllowed",
    `the account has no number that the call could come from; ${cure}`,
  );
}

/** A code of six digits. */
const newCode = (): string =>
  String(crypto.getRandomValues(new Uint32Array(1))[0]! % 1_000_000).padStart(6, "0");

/** Calls a number, which is added when the callee types the code that the response has. */
export const validationRequests = noun<Call>({
  type: "ValidationRequest",
  path: "OutgoingCallerIds",
  plural: "validation_requests",
  note: "the number is called from a number of the account, and added when the callee types the " +
    "code; an account without a number gets 400 (21210); POST OutgoingCallerIds at /2012-04-24 " +
    "adds a number at once",
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
        wholeNumber(0, mostDelayS),
        "seconds until the number is called",
      ),
      Extension: works(digits.max(limits.sentDigits), "keys that are sent first"),
      StatusCallback: works(url, "is requested at the end of the call, with VerificationStatus"),
      StatusCallbackMethod: works(method),
    },
    faults: { PhoneNumber: "badPhoneNumber" },
    async perform(asked, sent) {
      const { PhoneNumber: phoneNumber, FriendlyName } = sent;
      const validation: Call["validation"] = {
        code: newCode(),
        phoneNumber,
        friendlyName: FriendlyName ?? formatNumber(phoneNumber),
        tries: 0,
        ...sent.CallDelay && { delayS: sent.CallDelay },
        callerIdSid: null,
      };
      const wanted = given({
        to: phoneNumber,
        from: await ownNumber(asked),
        url: validationUrls.ask,
        sendDigits: sent.Extension,
        timeLimit: validationS,
        statusCallback: sent.StatusCallback,
        statusCallbackMethod: sent.StatusCallbackMethod,
        validation,
      });
      return await placed(wanted, asked);
    },
  }),
});
