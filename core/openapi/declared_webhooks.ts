import { callStatus } from "../model/values/status.ts";

/** A request that the service makes to a customer's server. */
export interface Webhook {
  summary: string;
  description: string;
  tag: string;
  /** Parameters that every request of it has. */
  always: string[];
  /** Parameters that some of its requests have. */
  sometimes?: string[];
  /** Values of parameters that differ from those in `parameterValues`. */
  values?: Record<string, readonly string[]>;
  /** The response is call-control markup. */
  isMarkup?: boolean;
}

/** Parameters that every request about a call has, and those that are left out when unknown. */
const ofCall = ["CallSid", "AccountSid", "From", "To", "CallStatus", "ApiVersion", "Direction"];
const alwaysOfCall = [...ofCall, "CallTimestamp", "InstanceId"];
const placeNames = (...parties: string[]): string[] =>
  parties.flatMap((party) => ["City", "State", "Zip", "Country"].map((part) => party + part));
const sometimesOfCall = [
  "Called",
  "Caller",
  ...placeNames("From", "To", "Caller", "Called"),
  "CallerName",
  "AnsweredBy",
  "ForwardedFrom",
  "ParentCallSid",
  "PhoneNumberSid",
  "SipCallId",
  "StirVerstat",
  "ReferTarget",
  "Transferor",
  "Transferee",
];
const ofRecording = ["RecordingSid", "RecordingUrl", "RecordingDuration"];
const ofDialled = ["OutboundCallSid", "DialSipCallId", "DialSipResponseCode"];
const ofFailure = ["ErrorCode", "ErrorUrl"];

/** A request for markup in a call. */
const inCall = (
  summary: string,
  description: string,
  own: Partial<Pick<Webhook, "always" | "sometimes" | "tag" | "values">> = {},
): Webhook => ({
  summary,
  description,
  tag: own.tag ?? "Call",
  always: [...alwaysOfCall, ...own.always ?? []],
  sometimes: [...sometimesOfCall, "Digits", ...own.sometimes ?? []],
  values: own.values ?? {},
  isMarkup: true,
});

const ofMessage = ["SmsSid", "MessageSid", "AccountSid", "From", "To", "ApiVersion"];

/** Every webhook, by name. */
export const declaredWebhooks: Record<string, Webhook> = {
  voice: inCall(
    "Requests the markup of a call",
    "The first document of a call: VoiceUrl of a number or Client, Url of a call that a request " +
      "placed, or RcmlUrl of an Application.",
  ),
  voiceFallback: inCall(
    "Requests the fallback markup of a call",
    "VoiceFallbackUrl or FallbackUrl, when the first document cannot be fetched or parsed.",
    { always: ofFailure },
  ),
  redirect: inCall(
    "Requests the markup that a call goes on with",
    "The URL of a Redirect, or Url of a Call that a request updates.",
    { sometimes: ["OutboundCallSid"] },
  ),
  gatherAction: inCall("Reports the input of a Gather", "The action of a Gather.", {
    sometimes: ["SpeechResult", "Confidence"],
  }),
  recordAction: inCall("Reports the recording of a Record", "The action of a Record.", {
    sometimes: ofRecording,
  }),
  dialAction: inCall("Reports the end of a Dial", "The action of a Dial.", {
    always: ["DialCallStatus", "DialCallDuration"],
    sometimes: [
      "DialCallSid",
      "DialRingDuration",
      ...ofDialled,
      ...ofRecording,
      "ConferenceSid",
    ],
  }),
  dialScreening: inCall(
    "Requests the markup that a callee hears first",
    "The url of a Number, Client or Sip in a Dial. The markup runs on the leg of the callee before " +
      "it is connected.",
  ),
  sendAction: inCall(
    "Reports the start of an Sms or Geolocation",
    "The action of an Sms or Geolocation.",
    {
      sometimes: ["SmsSid", "SmsStatus", "GeolocationSid", "GeolocationStatus"],
      values: { SmsStatus: ["sending", "failed"], GeolocationStatus: ["queued", "failed"] },
    },
  ),
  enqueueAction: inCall("Reports the end of an Enqueue", "The action of an Enqueue.", {
    always: ["QueueResult"],
    sometimes: ["QueueTime", "QueueSid"],
  }),
  machineDetection: {
    summary: "Reports who answered a call",
    description:
      "AsyncAmdStatusCallback or AmdStatusCallback of a request, amdStatusCallback of a Number or Sip.",
    tag: "Call",
    always: [...alwaysOfCall, "AnsweredBy", "MachineDetectionDuration"],
    sometimes: sometimesOfCall.filter((name) => name !== "AnsweredBy"),
  },
  conferenceAnnouncement: inCall(
    "Requests what a conference or a participant hears",
    "AnnounceUrl of a request: once, with the parameters of the call that is to hear it, or of the " +
      "call that joined first.",
    { always: ["ConferenceSid", "FriendlyName"], tag: "Conference" },
  ),
  enqueueWait: inCall(
    "Requests what a waiting caller hears",
    "The waitUrl of an Enqueue or of a Conference.",
    {
      sometimes: [
        "QueueSid",
        "QueueTime",
        "QueuePosition",
        "CurrentQueueSize",
        "SpeechResult",
        "Confidence",
      ],
    },
  ),
  referAction: inCall("Reports the result of a Refer", "The action of a Refer.", {
    always: ["ReferCallStatus"],
    sometimes: ["ReferSipResponseCode"],
  }),
  connectAction: inCall(
    "Reports the end of a Connect",
    "The action of a Connect with a Stream or a ConversationRelay.",
    {
      sometimes: [
        "StreamSid",
        "StreamName",
        "StreamStatus",
        "StreamError",
        "SessionId",
        "SessionStatus",
        "SessionDuration",
        "HandoffData",
        "ErrorCode",
        "ErrorMessage",
      ],
    },
  ),
  refer: inCall(
    "Requests the markup of a transfer",
    "ReferUrl of a number, when a party of its call transfers the call (SIP REFER). The markup " +
      "runs on the leg of the other party.",
    {
      tag: "IncomingPhoneNumber",
      always: ["ReferTarget", "Transferor", "Transferee"],
      sometimes: ["OutboundCallSid"],
    },
  ),
  ussd: inCall(
    "Requests the markup of a USSD dialogue",
    "UssdUrl of a number, Url of a pushed dialogue, or the action of a UssdCollect.",
  ),
  sms: {
    summary: "Requests the markup of a text message",
    description: "SmsUrl of a number, and the actions and redirects of that markup.",
    tag: "SMSMessage",
    always: [...ofMessage, "Body", "NumMedia"],
    sometimes: [
      ...ofFailure,
      "SmsStatus",
      "MessageStatus",
      "SmsMessageSid",
      "NumSegments",
      "StirVerstat",
      ...placeNames("From", "To"),
    ],
    values: { SmsStatus: ["sending", "failed", "received"], MessageStatus: ["sending"] },
    isMarkup: true,
  },
  callStatus: {
    summary: "Reports the progress of a call",
    description: "StatusCallback of a call or number, for each event in StatusCallbackEvent.",
    tag: "Call",
    always: [...alwaysOfCall, "Timestamp", "CallbackSource", "SequenceNumber"],
    sometimes: [
      ...sometimesOfCall,
      "CallDuration",
      ...ofDialled,
      "VerificationStatus",
      "OutgoingCallerIdSid",
    ],
    values: {
      CallStatus: ["initiated", ...callStatus.options],
      CallbackSource: ["call-progress-events"],
    },
  },
  partialSpeech: {
    summary: "Reports recognized speech while the caller speaks",
    description: "partialResultCallback of a Gather.",
    tag: "Call",
    always: [...alwaysOfCall, "UnstableSpeechResult", "Confidence", "SequenceNumber"],
    sometimes: sometimesOfCall,
  },
  recordingStatus: {
    summary: "Reports the beginning or the end of a recording",
    description:
      "recordingStatusCallback of a Record, Dial, Conference or Recording; RecordingStatusCallback " +
      "of a request.",
    tag: "Recording",
    always: [
      "AccountSid",
      "CallSid",
      ...ofRecording,
      "RecordingStatus",
      "RecordingChannels",
      "RecordingStartTime",
    ],
    sometimes: ["RecordingSource", "RecordingTrack", "ConferenceSid"],
  },
  streamStatus: {
    summary: "Reports an event of an audio stream",
    description: "statusCallback of a Stream, or StatusCallback of a request.",
    tag: "Stream",
    always: [...alwaysOfCall, "StreamSid", "StreamName", "StreamEvent", "Timestamp"],
    sometimes: [...sometimesOfCall, "StreamError"],
  },
  transcription: {
    summary: "Reports the end of a transcription",
    description: "transcribeCallback of a Record, or TranscribeCallback of a request.",
    tag: "Transcription",
    always: [
      "AccountSid",
      "ApiVersion",
      "TranscriptionSid",
      "TranscriptionStatus",
      "TranscriptionUrl",
      "RecordingSid",
      "InstanceId",
      "Timestamp",
      "CallbackSource",
    ],
    sometimes: ["TranscriptionText", "RecordingUrl", "RecordingDuration", "CallSid", "From", "To"],
    values: { CallbackSource: ["transcription-events"] },
  },
  messageStatus: {
    summary: "Reports the result of a text message",
    description: "StatusCallback of a message.",
    tag: "SMSMessage",
    always: [...ofMessage, "MessageStatus", "SmsStatus", "Timestamp"],
    sometimes: ["ErrorCode"],
    values: { SmsStatus: ["sent", "delivered", "undelivered", "failed", "canceled"] },
  },
  usageTrigger: {
    summary: "Reports usage that has reached a value",
    description: "CallbackUrl of a Usage Trigger of Twilio's libraries.",
    tag: "UsageRecord",
    always: [
      "AccountSid",
      "UsageTriggerSid",
      "Recurring",
      "UsageCategory",
      "TriggerBy",
      "TriggerValue",
      "CurrentValue",
      "DateFired",
      "IdempotencyToken",
      "UsageRecordUri",
    ],
  },
  conferenceStatus: {
    summary: "Reports an event of a conference",
    description: "statusCallback of a Conference, for each event in statusCallbackEvent.",
    tag: "Conference",
    always: [
      "AccountSid",
      "ApiVersion",
      "ConferenceSid",
      "FriendlyName",
      "StatusCallbackEvent",
      "Timestamp",
      "SequenceNumber",
    ],
    sometimes: [
      "CallSid",
      "Muted",
      "Hold",
      "StartConferenceOnEnter",
      "EndConferenceOnExit",
      "ReasonConferenceEnded",
      "CallSidEndingConference",
    ],
  },
  geolocation: {
    summary: "Reports the end of a look-up",
    description: "StatusCallback of a Geolocation.",
    tag: "Geolocation",
    always: [
      "AccountSid",
      "GeolocationSid",
      "GeolocationType",
      "GeolocationStatus",
      "DeviceIdentifier",
    ],
    values: { GeolocationStatus: ["successful", "failed"] },
    sometimes: [
      "Cause",
      "CellId",
      "LocationAreaCode",
      "MobileCountryCode",
      "MobileNetworkCode",
      "NetworkEntityAddress",
      "LocationAge",
      "EventGeofenceLatitude",
      "EventGeofenceLongitude",
    ],
  },
};
