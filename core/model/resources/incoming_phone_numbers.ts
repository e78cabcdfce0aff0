import { z } from "zod";
import {
  apiVersion,
  clearableSid,
  clearableUrl,
  flag,
  method,
  phoneText,
} from "../../base/fields.ts";
import { notifyProvider } from "../job_kinds.ts";
import { limits } from "../../base/limits.ts";
import { isPattern } from "../values/number_pattern.ts";
import { areaCode, capabilities, type NumberEvent } from "../values/offer.ts";
import { type RecordOf, resource } from "../resource.ts";

/** Read from the application when the number is represented; never stored. */
const applicationName = z.string().nullable().optional();

/** Fields that a customer may set when a number is provisioned, and change later. */
const settable = [
  "friendlyName",
  "apiVersion",
  "voiceCallerIdLookup",
  "voiceUrl",
  "voiceMethod",
  "voiceFallbackUrl",
  "voiceFallbackMethod",
  "statusCallback",
  "statusCallbackMethod",
  "voiceApplicationSid",
  "smsUrl",
  "smsMethod",
  "smsFallbackUrl",
  "smsFallbackMethod",
  "smsApplicationSid",
  "ussdUrl",
  "ussdMethod",
  "ussdFallbackUrl",
  "ussdFallbackMethod",
  "ussdApplicationSid",
  "referUrl",
  "referMethod",
  "referApplicationSid",
] as const;

/**
 * A phone number that an account holds, with the documents for calls, messages and USSD that come
 * to it.
 */
export const incomingPhoneNumbers = resource({
  type: "IncomingPhoneNumber",
  description:
    "A phone number of an account, with what handles its calls, text messages, USSD dialogues and transfers.",
  path: "IncomingPhoneNumbers",
  sidPrefix: "PN",
  irregular: true,
  fields: {
    friendlyName: z.string().min(1).max(limits.friendlyNameLength).describe(
      "Name of the number, for people; its national form unless set.",
    ),
    phoneNumber: phoneText().max(limits.numberPatternLength).describe(
      "The number in E.164 form, or a virtual number as it was sent.",
    ),
    apiVersion: apiVersion.describe("Version of the interface, always a date such as 2012-04-24."),
    voiceCallerIdLookup: flag.describe(
      "Whether the name of the caller is looked up; kept and shown, without effect.",
    ),
    voiceUrl: clearableUrl.describe(
      "URL of the markup that handles calls to the number. An empty value clears it.",
    ),
    voiceMethod: method.describe("HTTP method of the request to VoiceUrl: GET or POST (default)."),
    voiceFallbackUrl: clearableUrl.describe(
      "URL that is requested when the markup at VoiceUrl cannot be fetched or parsed. An empty value clears it.",
    ),
    voiceFallbackMethod: method.describe(
      "HTTP method of the request to VoiceFallbackUrl: GET or POST (default).",
    ),
    statusCallback: clearableUrl.describe(
      "URL of the status callback of calls to the number. An empty value clears it.",
    ),
    statusCallbackMethod: method.describe(
      "HTTP method of the request to StatusCallback: GET or POST (default).",
    ),
    voiceApplicationSid: clearableSid("AP").describe(
      "Sid of the Application that handles calls in place of VoiceUrl. An empty value clears it.",
    ),
    voiceApplicationName: applicationName.describe(
      "Name of the Application in VoiceApplicationSid, null without one.",
    ),
    smsUrl: clearableUrl.describe(
      "URL of the markup that handles text messages to the number. An empty value clears it.",
    ),
    smsMethod: method.describe("HTTP method of the request to SmsUrl: GET or POST (default)."),
    smsFallbackUrl: clearableUrl.describe(
      "URL that is requested when the markup at SmsUrl cannot be fetched or parsed. An empty value clears it.",
    ),
    smsFallbackMethod: method.describe(
      "HTTP method of the request to SmsFallbackUrl: GET or POST (default).",
    ),
    smsApplicationSid: clearableSid("AP").describe(
      "Sid of the Application that handles text messages in place of SmsUrl. An empty value clears it.",
    ),
    smsApplicationName: applicationName.describe(
      "Name of the Application in SmsApplicationSid, null without one.",
    ),
    ussdUrl: clearableUrl.describe(
      "URL of the markup that handles USSD dialogues to the number. An empty value clears it.",
    ),
    ussdMethod: method.describe("HTTP method of the request to UssdUrl: GET or POST (default)."),
    ussdFallbackUrl: clearableUrl.describe(
      "URL that is requested when the markup at UssdUrl cannot be fetched or parsed. An empty value clears it.",
    ),
    ussdFallbackMethod: method.describe(
      "HTTP method of the request to UssdFallbackUrl: GET or POST (default).",
    ),
    ussdApplicationSid: clearableSid("AP").describe(
      "Sid of the Application that handles USSD dialogues in place of UssdUrl. An empty value clears it.",
    ),
    ussdApplicationName: applicationName.describe(
      "Name of the Application in UssdApplicationSid, null without one.",
    ),
    referUrl: clearableUrl.describe(
      "URL of the markup that handles transfers (SIP REFER) of calls to the number. An empty value clears it.",
    ),
    referMethod: method.describe("HTTP method of the request to ReferUrl: GET or POST (default)."),
    referApplicationSid: clearableSid("AP").describe(
      "Sid of the Application that handles transfers in place of ReferUrl. An empty value clears it.",
    ),
    referApplicationName: applicationName.describe(
      "Name of the Application in ReferApplicationSid, null without one.",
    ),
    capabilities: capabilities.describe("What the number can carry."),

    kind: z.enum(["local", "tollFree", "mobile"]),
    isSIP: flag.describe(
      "Whether the number is virtual: not of a carrier, reached by SIP alone, and possibly a pattern.",
    ),
    areaCode: areaCode.optional().describe(
      "Provisions any available number of this area code (the three digits after +1) in place of PhoneNumber.",
    ),
    beta: z.enum(["true", "false"]).optional().describe(
      "Accepted for compatibility; it narrows nothing.",
    ),
  },
  hidden: ["kind", "isSIP", "areaCode", "beta"],
  create: { required: [], optional: ["phoneNumber", "areaCode", "isSIP", ...settable] },
  update: [...settable],
  removable: true,
  aliases: {
    isSIP: "isSIP",
    statusCallback: "statusCallback",
    statusCallbackMethod: "statusCallbackMethod",
  },
  defaults: {
    apiVersion: limits.apiVersion,
    voiceCallerIdLookup: false,
    voiceUrl: null,
    voiceMethod: "POST",
    voiceFallbackUrl: null,
    voiceFallbackMethod: "POST",
    statusCallback: null,
    statusCallbackMethod: "POST",
    voiceApplicationSid: null,
    smsUrl: null,
    smsMethod: "POST",
    smsFallbackUrl: null,
    smsFallbackMethod: "POST",
    smsApplicationSid: null,
    ussdUrl: null,
    ussdMethod: "POST",
    ussdFallbackUrl: null,
    ussdFallbackMethod: "POST",
    ussdApplicationSid: null,
    referUrl: null,
    referMethod: "POST",
    referApplicationSid: null,
    isSIP: false,
  },
  filters: { phoneNumber: "number", friendlyName: "equals", beta: "equals" },
  sorted: { by: "phoneNumber", holds: ["kind", "friendlyName"] },
  unique: ["phoneNumber"],
  // In place of the groups `patterns` and `ownPatterns`, of the whole service and of one account.
  tenantGroups: { tenantPatterns: ({ isSIP, phoneNumber }) => isSIP && isPattern(phoneNumber) },
  references: {
    voiceApplicationSid: "applications",
    smsApplicationSid: "applications",
    ussdApplicationSid: "applications",
    referApplicationSid: "applications",
  },
  faults: { phoneNumber: "badPhoneNumber", areaCode: "noNumberInArea" },
  created: (number) => ({ record: number, jobs: providerJobs("provisioned", number) }),
  removed: (number) => ({ record: number, jobs: providerJobs("released", number) }),
});

export type IncomingPhoneNumber = RecordOf<typeof incomingPhoneNumbers>;

/** The job that notifies the provider of a number; a virtual number has none. */
export const providerJobs = (
  event: NumberEvent["event"],
  { phoneNumber, accountSid, sid, isSIP }: NumberSubject,
) => isSIP ? [] : [notifyProvider({ event, phoneNumber, accountSid, sid })];

type NumberSubject = Pick<NumberEvent, "phoneNumber" | "accountSid" | "sid"> & { isSIP: boolean };
