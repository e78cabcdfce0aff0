import { z } from "zod";
import { companion } from "../protocol/companion.ts";
import { answeredBy } from "../protocol/events.ts";
import { callbackEvent, callStatus, isLive } from "../values/status.ts";
import {
  isoDate,
  method,
  phoneText,
  reference,
  textNumber,
  url,
  wholeNumber,
} from "../base/fields.ts";
import { dialCall } from "../model/job_kinds.ts";
import { limits } from "../base/limits.ts";
import { type RecordOf, resource } from "../model/resource.ts";

/** Events by space, by comma, or as a repeated parameter. */
const callbackEvents = z.preprocess(
  (sent) => [sent].flat().flatMap((text) => String(text).split(/[\s,]+/)).filter(Boolean),
  z.array(callbackEvent),
);

const address = phoneText().trim().min(1).max(255).regex(
  // deno-lint-ignore no-control-regex
  /^[^\x00-\x1f\x7f<>"]*$/,
  "must not hold control characters, quotes or angle brackets",
);

/** A phone number or a code as people write them, as the source of a regular expression. */
export const numberPattern = String.raw`\+?[0-9*#][0-9*#().\- ]*`;

/** A phone number as people write them, a SIP address, or a Client. */
const callee = address.regex(
  new RegExp(String.raw`^(client:[A-Za-z0-9\-._+]{1,64}|sips?:\S+@\S+|${numberPattern})$`),
  "must be a phone number, a sip: address or client: and a Login",
);

/** What placing a call may take; no answer shows it. */
const optionalParameters = [
  "url",
  "method",
  "fallbackUrl",
  "fallbackMethod",
  "statusCallback",
  "statusCallbackMethod",
  "statusCallbackEvent",
  "timeout",
  "machineDetection",
  "machineDetectionTimeout",
  "machineDetectionSpeechThreshold",
  "machineDetectionSpeechEndThreshold",
  "machineDetectionSilenceTimeout",
] as const;

const [leastSpeechMs, speechMs, mostSpeechMs] = limits.machineSpeechMs;
const [leastSpeechEndMs, speechEndMs, mostSpeechEndMs] = limits.machineSpeechEndMs;
const [leastSilenceMs, silenceMs, mostSilenceMs] = limits.machineSilenceMs;

/** One leg: a SIP dialog and what is known of it. */
export const calls = resource({
  type: "Call",
  path: "Calls",
  sidPrefix: "CA",
  fields: {
    parentCallSid: reference("CA").nullable(),
    to: callee,
    from: address,
    phoneNumberSid: z.string().nullable(),
    status: callStatus,
    startTime: isoDate.nullable(),
    endTime: isoDate.nullable(),
    duration: textNumber.nullable(),
    price: z.string().nullable(),
    direction: z.enum(["inbound", "outbound-api", "outbound-dial"]),
    answeredBy: answeredBy.nullable(),
    apiVersion: z.string(),
    forwardedFrom: z.string().nullable(),
    callerName: z.string().nullable(),

    url: url.nullable(),
    method,
    fallbackUrl: url.nullable(),
    fallbackMethod: method,
    statusCallback: url.nullable(),
    statusCallbackMethod: method,
    statusCallbackEvent: callbackEvents,
    timeout: wholeNumber(1, limits.ringTimeoutMaxS),
    /** Listens to who answers before the Url is asked for: until it is known, or a greeting is over. */
    machineDetection: z.enum(["Enable", "DetectMessageEnd"]).nullable(),
    machineDetectionTimeout: wholeNumber(
      limits.machineDetectionMinS,
      limits.machineDetectionMaxS,
    ),
    /** In ms: the shortest greeting of a machine, the pause that ends a person's, silence of nobody. */
    machineDetectionSpeechThreshold: wholeNumber(leastSpeechMs, mostSpeechMs),
    machineDetectionSpeechEndThreshold: wholeNumber(leastSpeechEndMs, mostSpeechEndMs),
    machineDetectionSilenceTimeout: wholeNumber(leastSilenceMs, mostSilenceMs),
    /** The INVITE went out, or came in. */
    initiated: z.boolean(),
    answeredAt: z.number().nullable(),
    /** Callbacks fired so far: the next SequenceNumber. */
    sequence: z.number().int(),
    /** Reports of the leg taken so far: a repeat has a lower `seq`. */
    reports: z.number().int(),
    /** The companion that holds the leg, once one does. */
    companion: companion.nullable(),
    sipCallId: z.string().nullable(),
    /** X- and User-to-User headers of the INVITE that came in. */
    sipHeaders: z.record(z.string(), z.string()),
    /** Who sent it to whom, where a transfer placed the call. */
    transfer: z.object({ target: z.string(), transferor: z.string(), transferee: z.string() })
      .nullable(),
    /** What is known of the last leg that its Dial placed, as callbacks of its number tell it. */
    dialled: z.record(z.string(), z.string()),
    /** What a minute costs, in millionths: as it was when the call was placed. */
    rateMicros: z.number().int().nonnegative(),
    /** Numbers of this service that the call came through. */
    numberHops: z.number().int().nonnegative(),
    /** The Conference that its leg is in, or was last when the call ended. */
    conferenceSid: z.string().nullable(),
    /** The same of a queue. */
    queueSid: z.string().nullable(),
    /** A USSD dialogue: its documents are of USSD. */
    isUssd: z.boolean(),
  },
  hidden: [
    ...optionalParameters,
    "initiated",
    "answeredAt",
    "sequence",
    "reports",
    "companion",
    "sipCallId",
    "sipHeaders",
    "transfer",
    "dialled",
    "rateMicros",
    "numberHops",
    "conferenceSid",
    "queueSid",
    "isUssd",
  ],
  create: {
    required: ["from", "to"],
    optional: [...optionalParameters],
  },
  aliases: {
    statusCallback: "statusCallback",
    statusCallbackMethod: "statusCallbackMethod",
    statusCallbackEvent: "statusCallbackEvent",
  },
  faults: { to: "badTo", from: "badFrom", url: "badUrl" },
  defaults: {
    parentCallSid: null,
    phoneNumberSid: null,
    status: "queued",
    startTime: null,
    endTime: null,
    duration: null,
    price: null,
    direction: "outbound-api",
    answeredBy: null,
    apiVersion: limits.apiVersion,
    forwardedFrom: null,
    callerName: null,
    url: null,
    method: "POST",
    fallbackUrl: null,
    fallbackMethod: "POST",
    statusCallback: null,
    statusCallbackMethod: "POST",
    statusCallbackEvent: [],
    timeout: limits.ringTimeoutS,
    machineDetection: null,
    machineDetectionTimeout: limits.machineDetectionS,
    machineDetectionSpeechThreshold: speechMs,
    machineDetectionSpeechEndThreshold: speechEndMs,
    machineDetectionSilenceTimeout: silenceMs,
    initiated: false,
    answeredAt: null,
    sequence: 0,
    reports: 0,
    companion: null,
    sipCallId: null,
    sipHeaders: {},
    transfer: null,
    dialled: {},
    rateMicros: 0,
    numberHops: 0,
    conferenceSid: null,
    queueSid: null,
    isUssd: false,
  },
  filters: {
    to: "address",
    from: "address",
    status: "equals",
    parentCallSid: "equals",
  },
  period: { start: "startTime", end: "endTime" },
  paged: true,
  groups: {
    live: ({ status, companion }) => isLive(status) && companion !== null ? companion.id : null,
  },
  subresources: ["Notifications", "Recordings"],
  created: (call) => ({
    record: call,
    jobs: [dialCall({ accountSid: call.accountSid, callSid: call.sid })],
  }),
});

export type Call = RecordOf<typeof calls>;
