import { z } from "zod";
import { apiVersion, clearableSid, clearableUrl, flag, method, phoneText } from "../base/fields.ts";
import { tellProvider } from "../model/job_kinds.ts";
import { limits } from "../base/limits.ts";
import { isPattern } from "../values/number_pattern.ts";
import { areaCode, capabilities, type NumberEvent } from "../values/offer.ts";
import { type RecordOf, resource } from "../model/resource.ts";

/** Read from the application when the number is represented; never stored. */
const applicationName = z.string().nullable().optional();

/** What a customer may say about a number when it is provisioned, and change later. */
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

/** A phone number that an account holds: what is asked when a call, a message or a USSD comes to it. */
export const incomingPhoneNumbers = resource({
  type: "IncomingPhoneNumber",
  path: "IncomingPhoneNumbers",
  sidPrefix: "PN",
  irregular: true,
  fields: {
    friendlyName: z.string().min(1).max(limits.friendlyNameLength),
    /** E.164, or the virtual number as it was given. */
    phoneNumber: phoneText().max(limits.numberPatternLength),
    apiVersion,
    voiceCallerIdLookup: flag,
    voiceUrl: clearableUrl,
    voiceMethod: method,
    voiceFallbackUrl: clearableUrl,
    voiceFallbackMethod: method,
    statusCallback: clearableUrl,
    statusCallbackMethod: method,
    voiceApplicationSid: clearableSid("AP"),
    voiceApplicationName: applicationName,
    smsUrl: clearableUrl,
    smsMethod: method,
    smsFallbackUrl: clearableUrl,
    smsFallbackMethod: method,
    smsApplicationSid: clearableSid("AP"),
    smsApplicationName: applicationName,
    ussdUrl: clearableUrl,
    ussdMethod: method,
    ussdFallbackUrl: clearableUrl,
    ussdFallbackMethod: method,
    ussdApplicationSid: clearableSid("AP"),
    ussdApplicationName: applicationName,
    referUrl: clearableUrl,
    referMethod: method,
    referApplicationSid: clearableSid("AP"),
    referApplicationName: applicationName,
    capabilities,

    kind: z.enum(["local", "tollFree", "mobile"]),
    /** Virtual: no trunk brings its calls, and it may be a pattern. */
    isSIP: flag,
    /** Only ever a parameter: a number of this area is provisioned. */
    areaCode: areaCode.optional(),
    /** Only ever a filter. No number is one of a trial, so it narrows nothing. */
    beta: z.enum(["true", "false"]).optional(),
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
  groups: {
    patterns: ({ isSIP, phoneNumber }) => isSIP && isPattern(phoneNumber) ? "any" : null,
    ownPatterns: ({ isSIP, phoneNumber, accountSid }) =>
      isSIP && isPattern(phoneNumber) ? accountSid : null,
  },
  references: {
    voiceApplicationSid: "applications",
    smsApplicationSid: "applications",
    ussdApplicationSid: "applications",
    referApplicationSid: "applications",
  },
  faults: { phoneNumber: "badPhoneNumber", areaCode: "noNumberInArea" },
  created: (number) => ({ record: number, jobs: toldOf("provisioned", number) }),
  removed: (number) => ({ record: number, jobs: toldOf("released", number) }),
});

export type IncomingPhoneNumber = RecordOf<typeof incomingPhoneNumbers>;

/** The job that tells a number's provider of it; nobody provides a virtual number. */
export const toldOf = (
  event: NumberEvent["event"],
  { phoneNumber, accountSid, sid, isSIP }: NumberSubject,
) => isSIP ? [] : [tellProvider({ event, phoneNumber, accountSid, sid })];

type NumberSubject = Pick<NumberEvent, "phoneNumber" | "accountSid" | "sid"> & { isSIP: boolean };
