import { z } from "zod";
import { companion } from "../../protocol/companion.ts";
import { digits } from "../../protocol/gather.ts";
import { answeredBy, greetingEnd } from "../../protocol/events.ts";
import { callEnd } from "./internal/call_end.ts";
import { informational } from "./internal/informational.ts";
import { limitedBy } from "./internal/limited_by.ts";
import { monitoringFields } from "./internal/monitoring.ts";
import { recordingOptions } from "../values/recording_options.ts";
import { callbackEvents, callStatus, dialDelayMs, isLive, validation } from "../values/status.ts";
import {
  isoDate,
  method,
  phoneText,
  reference,
  textNumber,
  url,
  wholeNumber,
} from "../../base/fields.ts";
import { dialCall } from "../job_kinds.ts";
import { currentRequestId } from "../../base/origin.ts";
import { limits } from "../../base/limits.ts";
import { type RecordOf, resource } from "../resource.ts";

const address = phoneText().trim().min(1).max(255).regex(
  // deno-lint-ignore no-control-regex
  /^[^\x00-\x1f\x7f<>"]*$/,
  "must not hold control characters, quotes or angle brackets",
);

/** A phone number or a code as people write them, as the source of a regular expression. */
export const numberPattern = String.raw`[+(]?[0-9*#(][0-9*#().\-/ ]*`;

/** A phone number as people write them, a SIP address, or a Client. */
const callee = address.regex(
  new RegExp(String.raw`^(client:[A-Za-z0-9\-._+]{1,64}|sips?:[^\s@]+@\S+|${numberPattern})$`),
  "must be a phone number, a sip: address or client: and a Login",
);

/** Optional parameters of a new call; no response shows them. */
const optionalParameters = [
  "url",
  "method",
  "fallbackUrl",
  "fallbackMethod",
  "statusCallback",
  "statusCallbackMethod",
  "statusCallbackEvent",
  "timeout",
  "gatewaySid",
  "machineDetection",
  "machineDetectionTimeout",
  "machineDetectionSpeechThreshold",
  "machineDetectionSpeechEndThreshold",
  "machineDetectionSilenceTimeout",
] as const;

const [leastSpeechMs, speechMs, mostSpeechMs] = limits.machineSpeechMs;
const [leastSpeechEndMs, speechEndMs, mostSpeechEndMs] = limits.machineSpeechEndMs;
const [leastSilenceMs, silenceMs, mostSilenceMs] = limits.machineSilenceMs;

/** One leg: a SIP dialog and its data. */
export const calls = resource({
  type: "Call",
  description: "One leg of a call: a SIP dialog between the service and one caller or callee.",
  path: "Calls",
  sidPrefix: "CA",
  fields: {
    parentCallSid: reference("CA").nullable().describe(
      "Sid of the Call whose Dial placed this one, null for any other.",
    ),
    to: callee.describe(
      "Callee: a phone number, a SIP address (sip:user@host), or client: and the Login of a Client.",
    ),
    from: address.describe("Caller ID: a phone number, a SIP address or a name."),
    phoneNumberSid: z.string().nullable().describe(
      "Sid of the IncomingPhoneNumber that the call came in for, null for any other call.",
    ),
    status: callStatus.describe(
      "Status of the call, from queued to its end: completed, busy, no-answer, canceled or failed.",
    ),
    startTime: isoDate.nullable().describe("Date when the call began, null before."),
    endTime: isoDate.nullable().describe("Date when the call ended, null before."),
    duration: textNumber.nullable().describe(
      "Seconds between answer and end, as a text; null before the end.",
    ),
    price: z.string().nullable().describe(
      "Price of the call as a decimal text, null before the end.",
    ),
    direction: z.enum(["inbound", "outbound-api", "outbound-dial"]).describe(
      "Direction of the call: inbound, outbound-api (placed by a request) or outbound-dial (placed by Dial).",
    ),
    answeredBy: answeredBy.nullable().describe(
      "Result of answering machine detection, null without it.",
    ),
    greetingEnd: greetingEnd.nullable(),
    apiVersion: z.string().describe("Version of the interface, always a date such as 2012-04-24."),
    forwardedFrom: z.string().nullable().describe(
      "Number that forwarded the call to the service, null when there is none.",
    ),
    callerName: z.string().nullable().describe(
      "Display name of the caller, null when there is none.",
    ),
    url: url.nullable().describe(
      "URL of the call-control markup that is requested when the callee answers; required unless ApplicationSid is sent.",
    ),
    method: method.describe("HTTP method of the request to Url: GET or POST (default)."),
    fallbackUrl: url.nullable().describe(
      "URL that is requested when the markup at Url cannot be fetched or parsed.",
    ),
    fallbackMethod: method.describe(
      "HTTP method of the request to FallbackUrl: GET or POST (default).",
    ),
    statusCallback: url.nullable().describe("URL of the status callback of the call."),
    statusCallbackMethod: method.describe(
      "HTTP method of the request to StatusCallback: GET or POST (default).",
    ),
    statusCallbackEvent: callbackEvents.describe(
      "Events that are sent to StatusCallback: any of initiated, ringing, answered and completed (default: completed alone).",
    ),
    timeout: wholeNumber(1, limits.ringTimeoutMaxS).describe(
      "Seconds that the callee rings before the call ends as no-answer.",
    ),
    gatewaySid: reference("GW").nullable().describe(
      "Sid of the Gateway that the call leaves by, and by no other; without it, Gateways are tried in turn. To is then a phone number.",
    ),
    machineDetection: z.enum(["Enable", "DetectMessageEnd"]).nullable().describe(
      "Answering machine detection: Enable decides as soon as it can, DetectMessageEnd waits for the end of the greeting of a machine.",
    ),
    machineDetectionTimeout: wholeNumber(
      limits.machineDetectionMinS,
      limits.machineDetectionMaxS,
    ).describe("Seconds after which answering machine detection gives up with unknown."),
    machineDetectionSpeechThreshold: wholeNumber(leastSpeechMs, mostSpeechMs).describe(
      "Milliseconds of speech from which a greeting is that of a machine.",
    ),
    machineDetectionSpeechEndThreshold: wholeNumber(leastSpeechEndMs, mostSpeechEndMs).describe(
      "Milliseconds of silence that end the greeting of a person.",
    ),
    machineDetectionSilenceTimeout: wholeNumber(leastSilenceMs, mostSilenceMs).describe(
      "Milliseconds of silence at the beginning after which the result is unknown.",
    ),
    /** Keys that are sent when the callee answers, before the markup is performed. */
    sendDigits: digits.nullable(),
    /** Of a call that validates a number. */
    validation: validation.nullable(),
    /** The markup goes on during answering machine detection, whose result a callback gets. */
    asyncAmd: z.object({ callback: z.object({ url: z.string(), method }).nullable() }).nullable(),
    /** Recording from the answer to the end; null: none. */
    recording: recordingOptions.nullable(),
    /** Seconds after the answer at which the call is ended. */
    timeLimit: z.number().int().nullable(),
    /** The INVITE went out, or came in. */
    initiated: z.boolean(),
    /** By how much its times are ahead of the steady clock (`core/calls/call_time.ts`), in ms. */
    clockAheadMs: z.number().nullable(),
    /** Time of the callee's first 180 or 183, in ms. */
    ringingAt: z.number().nullable(),
    answeredAt: z.number().nullable(),
    /**
     * Side that ended it, and the cause; null before its end and where the companion reported none.
     */
    disconnection: callEnd.nullable(),
    /** Callbacks fired so far: the next SequenceNumber. */
    sequence: z.number().int(),
    /** Reports of the leg taken so far: a repeat has a lower `seq`. */
    reports: z.number().int(),
    /** Counts the requests that redirected it: the job of an earlier one does nothing. */
    redirects: z.number().int(),
    /** The companion that holds the leg, once one does. */
    companion: companion.nullable(),
    sipCallId: z.string().nullable(),
    /** X- and User-to-User headers of the INVITE that came in, and parameters of its numbers. */
    sipHeaders: z.record(z.string(), z.string()),
    /** Statement of the carrier about the caller's number (`verstat`); null without one. */
    stirVerstat: z.string().nullable(),
    /** The parties of the transfer that placed the call. */
    transfer: z.object({ target: z.string(), transferor: z.string(), transferee: z.string() })
      .nullable(),
    /** The last leg that the call's Dial placed, as parameters for callbacks of its number. */
    dialled: z.record(z.string(), z.string()),
    /** Price of a minute, in millionths: as it was when the call was placed. */
    rateMicros: z.number().int().nonnegative(),
    /** Numbers of this service that the call came through. */
    numberHops: z.number().int().nonnegative(),
    /** Account whose Gateway brought the call; null for other trunks and for calls from within. */
    gatewayOf: z.string().nullable(),
    /** The Conference that its leg is in, or was last when the call ended. */
    conferenceSid: z.string().nullable(),
    /** The same of a queue. */
    queueSid: z.string().nullable(),
    ...monitoringFields,
    /** A USSD dialogue: its documents are of USSD. */
    isUssd: z.boolean(),
    /** True when it has, or had, audio streams; null in records of former versions. */
    hasStreams: z.boolean().nullable(),
    /** The X-Request-Id of the request that placed it; null of a call that came in. */
    requestId: z.string().nullable(),
    /** Minutes of the rate that limits of money have counted so far; null: the first one alone. */
    countedMinutes: z.number().int().nonnegative().nullable(),
    limitedBy,
    informational,
    /** The Gateway that its last INVITE left by; without a name where it is one of an account above. */
    leftBy: z.object({ sid: z.string(), name: z.string().optional() }).nullable(),
  },
  hidden: [
    ...optionalParameters,
    "sendDigits",
    "validation",
    "greetingEnd",
    "asyncAmd",
    "recording",
    "timeLimit",
    "initiated",
    "clockAheadMs",
    "ringingAt",
    "answeredAt",
    "disconnection",
    "sequence",
    "reports",
    "redirects",
    "companion",
    "sipCallId",
    "sipHeaders",
    "stirVerstat",
    "transfer",
    "dialled",
    "rateMicros",
    "numberHops",
    "gatewayOf",
    "conferenceSid",
    "queueSid",
    "monitoring",
    "monitors",
    "isUssd",
    "hasStreams",
    "requestId",
    "countedMinutes",
    "limitedBy",
    "informational",
    "leftBy",
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
    requestId: currentRequestId,
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
    gatewaySid: null,
    machineDetection: null,
    machineDetectionTimeout: limits.machineDetectionS,
    machineDetectionSpeechThreshold: speechMs,
    machineDetectionSpeechEndThreshold: speechEndMs,
    machineDetectionSilenceTimeout: silenceMs,
    sendDigits: null,
    validation: null,
    asyncAmd: null,
    recording: null,
    timeLimit: null,
    initiated: false,
    greetingEnd: null,
    hasStreams: null,
    clockAheadMs: null,
    ringingAt: null,
    answeredAt: null,
    disconnection: null,
    sequence: 0,
    reports: 0,
    redirects: 0,
    companion: null,
    sipCallId: null,
    sipHeaders: {},
    stirVerstat: null,
    transfer: null,
    dialled: {},
    rateMicros: 0,
    numberHops: 0,
    gatewayOf: null,
    conferenceSid: null,
    queueSid: null,
    monitoring: null,
    monitors: [],
    isUssd: false,
    countedMinutes: null,
    limitedBy: null,
    informational: null,
    leftBy: null,
  },
  filters: {
    to: "address",
    from: "address",
    status: "equals",
    parentCallSid: "equals",
  },
  period: { start: "startTime", end: "endTime" },
  filtersCreation: true,
  paged: true,
  groups: {
    live: ({ status, companion }) => isLive(status) && companion !== null ? companion.id : null,
  },
  uses: ({ direction, status, rateMicros, countedMinutes }) => {
    if (direction === "inbound") return null; // Its caller would use up the limits.
    const isCall = isLive(status);
    const reservedMicros = isCall ? (rateMicros ?? 0) * (countedMinutes ?? 1) : 0;
    return { isCall, isText: false, reservedMicros };
  },
  hasSipTrace: true,
  subresources: ["Notifications", "Recordings"],
  created: (call) => ({
    record: { ...call, hasStreams: false },
    jobs: [
      dialCall(
        { accountSid: call.accountSid, callSid: call.sid },
        call.dateCreated + dialDelayMs(call),
      ),
    ],
  }),
});

export type Call = RecordOf<typeof calls>;
