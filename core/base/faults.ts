/** Why the service refuses; `routes/` maps each kind to one HTTP status. */
export type FaultKind =
  | "invalid"
  | "unauthenticated"
  | "denied"
  | "missing"
  | "unacceptable"
  | "unsupported"
  | "conflict"
  | "tooLarge"
  | "unsupportedMedia"
  | "unsatisfiable"
  | "throttled"
  | "unavailable"
  | "internal";

/** One way to refuse or to fail. */
export interface FaultEntry {
  kind: FaultKind;
  /** Stable, public: the error body's `code`, a Notification's ErrorCode, `/errors/{code}`. */
  code: number;
  message: string;
  /** What the caller can do about it, for the page behind `more_info`. */
  advice: string;
}

/** Every way the service can refuse, or a call can fail, listed once. */
export const faults = {
  // The REST interface and phone numbers.
  badParameter: {
    kind: "invalid",
    code: 20001,
    message: "Cannot accept the request parameters",
    advice: "Correct the parameter that the message names and send the request again.",
  },
  badCredentials: {
    kind: "unauthenticated",
    code: 20003,
    message: "Cannot authenticate the request",
    advice: "Send HTTP Basic credentials: the account Sid or e-mail address, and its AuthToken.",
  },
  methodNotAllowed: {
    kind: "unsupported",
    code: 20004,
    message: "Cannot apply this method to the resource",
    advice: "Use one of the methods in the Allow header.",
  },
  accountInactive: {
    kind: "denied",
    code: 20005,
    message: "Cannot use the account: it is not active",
    advice: "Ask the owner of the parent account to activate it. A closed account stays closed.",
  },
  denied: {
    kind: "denied",
    code: 20403,
    message: "Cannot allow the request",
    advice: "An account acts for itself and its sub-accounts, within the permissions of its Role.",
  },
  notFound: {
    kind: "missing",
    code: 20404,
    message: "Cannot find the resource",
    advice: "Check the path and the Sid; a resource of another account is not found either.",
  },
  alreadyExists: {
    kind: "conflict",
    code: 20409,
    message: "Cannot save the resource: its name is already in use",
    advice: "Choose another Login or EmailAddress.",
  },
  notAcceptable: {
    kind: "unacceptable",
    code: 20406,
    message: "Cannot answer in XML",
    advice: "This resource is offered in JSON only: append .json to its path.",
  },
  tooLarge: {
    kind: "tooLarge",
    code: 20413,
    message: "Cannot read the request: its body is over 1 MiB",
    advice: "Send a smaller body.",
  },
  unsupportedMedia: {
    kind: "unsupportedMedia",
    code: 20415,
    message: "Cannot read the request: its body is of an unsupported type",
    advice: "Send a form (application/x-www-form-urlencoded) or a JSON object " +
      "(application/json) that is not compressed.",
  },
  crossSite: {
    kind: "denied",
    code: 20407,
    message: "Cannot change anything for a page of another site",
    advice: "Browsers add remembered credentials to requests of foreign pages, which are " +
      "therefore refused. Send the request from a server, not from a web page.",
  },
  throttled: {
    kind: "throttled",
    code: 20429,
    message: "Cannot answer so many requests",
    advice: "Wait for the seconds in the Retry-After header.",
  },
  bug: {
    kind: "internal",
    code: 20500,
    message: "Cannot complete the request",
    advice: "This is a defect of the service. Report it with the X-Request-Id of the answer.",
  },
  expired: {
    kind: "throttled",
    code: 20504,
    message: "Cannot try again: it has waited too long",
    advice: "The server that was to be asked has failed for a day. Mend it and ask again.",
  },
  unavailable: {
    kind: "unavailable",
    code: 20503,
    message: "Cannot reach a part of the service",
    advice: "Try again after the seconds in the Retry-After header.",
  },
  badUrl: {
    kind: "invalid",
    code: 21205,
    message: "Cannot use a URL",
    advice: "Give an absolute http or https URL of a server that this service may reach.",
  },
  badTo: {
    kind: "invalid",
    code: 21211,
    message: "Cannot use the recipient",
    advice: "Give a phone number, client: and the Login of a Client, or for calls a sip: address.",
  },
  badFrom: {
    kind: "invalid",
    code: 21212,
    message: "Cannot use the originator",
    advice: "Give a phone number or client: and the Login of a Client; for calls a name will do.",
  },
  badPhoneNumber: {
    kind: "invalid",
    code: 21421,
    message: "Cannot use the number",
    advice: "Give a possible number in E.164 form, + first, of the kind that the path asks for.",
  },
  numberUnavailable: {
    kind: "invalid",
    code: 21422,
    message: "Cannot provision the number",
    advice: "Choose another of those that AvailablePhoneNumbers offers.",
  },
  noNumberInArea: {
    kind: "invalid",
    code: 21452,
    message: "Cannot find a number in the area",
    advice: "Give the three digits of an area code of the United States or Canada, or try another.",
  },
  // Calls, their markup and their callbacks.
  callerIdNotAllowed: {
    kind: "invalid",
    code: 21210,
    message: "Cannot call a number with this From",
    advice: "Give a number, an OutgoingCallerId or a Client of the account as From or callerId.",
  },
  callEnded: {
    kind: "invalid",
    code: 21220,
    message: "Cannot modify a call that has ended",
    advice: "Only live calls can be modified.",
  },
  notModifiable: {
    kind: "invalid",
    code: 21221,
    message: "Cannot modify the call as asked",
    advice: "A redirect needs a call in progress.",
  },
  noRoute: {
    kind: "invalid",
    code: 13224,
    message: "Cannot route the call: nobody is at the address",
    advice: "A Client must exist and be enabled; a number must be one of this service with a " +
      "VoiceUrl, or a Gateway or the operator's OUTBOUND_PROXY must lead to it.",
  },
  notRegistered: {
    kind: "invalid",
    code: 13226,
    message: "Cannot reach the Client: none of its phones is registered",
    advice: "Check that its softphone runs, reaches the SIP address and has the right password.",
  },
  trunkUnreachable: {
    kind: "unavailable",
    code: 13227,
    message: "Cannot place the call: no Gateway took it",
    advice: "Check the Proxy, UserName and Password of the account's Gateways, and their Status.",
  },
  conferenceEnded: {
    kind: "invalid",
    code: 21222,
    message: "Cannot modify a conference that has ended",
    advice: "Only conferences that are not completed can be modified.",
  },
  conferenceUnreached: {
    kind: "unavailable",
    code: 13232,
    message: "Cannot join the conference",
    advice:
      "A conference is at the companion of its first participant: it is to answer at SIP_PEER_URI.",
  },
  queueUnreached: {
    kind: "unavailable",
    code: 13233,
    message: "Cannot take a call from the queue",
    advice: "The companion at which the call waits is to answer at its SIP_PEER_URI.",
  },
  mediaLost: {
    kind: "unavailable",
    code: 13231,
    message: "Cannot go on with the call: its audio was lost",
    advice: "Check that the phone's network lets UDP through to the companion and back.",
  },
  noCommonCodec: {
    kind: "invalid",
    code: 13236,
    message: "Cannot connect the call: the two sides have no media in common",
    advice:
      "Have the phone or trunk offer audio as PCMU or PCMA (G.711), or Opus, at an address that " +
      "this server sends to; one in a browser, with DTLS-SRTP and ICE.",
  },
  unknownAudioSource: {
    kind: "invalid",
    code: 13237,
    message: "Audio came from an address that the call's signalling does not know, and was dropped",
    advice:
      "Audio counts from the address in the SDP, the address that the phone signals from, and the " +
      "trunk's addresses. If it is the phone's or trunk's own, have its SDP name it; the operator adds a " +
      "trunk's media addresses to SIP_TRUSTED_SOURCES. Else it is an attack, or audio of an earlier call.",
  },
  companionLost: {
    kind: "unavailable",
    code: 13235,
    message: "Cannot go on with the call: the SIP companion lost it",
    advice:
      "Place the call again. The operator reads in the log whether the companion ended, and why.",
  },
  notDialled: {
    kind: "unavailable",
    code: 13225,
    message: "Cannot place the call: the SIP companion is out of reach",
    advice: "Check that the companion runs and that BRIDGE_URL points at it.",
  },
  callbackFailed: {
    kind: "unavailable",
    code: 11200,
    message: "Cannot deliver a status callback",
    advice: "The application server must answer the callback URL with a status below 500.",
  },
  deliveryQueued: {
    kind: "invalid",
    code: 21230,
    message: "Cannot replay a delivery that is under way",
    advice: "Wait until its Status is delivered or failed.",
  },
  documentUnreachable: {
    kind: "unavailable",
    code: 11210,
    message: "Cannot fetch the markup document",
    advice: "The application server must answer the URL with 2xx and markup within 15 seconds.",
  },
  documentInvalid: {
    kind: "invalid",
    code: 12100,
    message: "Cannot read the markup document",
    advice: "Send one well-formed XML document of at most 64 KiB with the root Response.",
  },
  documentType: {
    kind: "invalid",
    code: 12300,
    message: "Cannot use the content type of the document",
    advice: "Answer with text/xml or application/xml, audio/* or text/plain.",
  },
  documentLoop: {
    kind: "invalid",
    code: 12400,
    message: "Cannot go on: the documents redirect without end",
    advice: "Let one of the documents do something that takes time.",
  },
  flowFailed: {
    kind: "invalid",
    code: 12500,
    message: "Cannot go on with the flow",
    advice: "Check the Flow of the application that the message names: it, or a step of it, was " +
      "removed or no longer fits.",
  },
  serviceFailed: {
    kind: "unavailable",
    code: 12510,
    message: "Cannot use the answer of an external service",
    advice: "The URL of the externalService step must answer with 2xx within 15 seconds, with at " +
      "most 64 KiB, and with JSON where the step extracts from it. An onRemoteError handles it.",
  },
  markupSkipped: {
    kind: "invalid",
    code: 12200,
    message: "Cannot perform a part of the markup",
    advice: "The part that the message names was skipped. Check verb and attribute names.",
  },
  audioUnavailable: {
    kind: "unavailable",
    code: 13230,
    message: "Cannot play the audio",
    advice: "The URL must answer with a WAV or MP3 file that this service can decode.",
  },
  notSpoken: {
    kind: "unavailable",
    code: 13241,
    message: "Cannot say the text",
    advice: "Check voice and language of Say. If they are right, the operator has to set up " +
      "speech, or the provider of it is out of reach.",
  },
  notTranscribed: {
    kind: "invalid",
    code: 13242,
    message: "Cannot transcribe the recording",
    advice: "The operator has to set up speech recognition: RECOGNITION_URL, or pocketsphinx on " +
      "the machine of the service. It must take audio of this length and language.",
  },
  speechUnavailable: {
    kind: "unavailable",
    code: 13245,
    message: "Cannot take what was said",
    advice: "The operator has to set up speech recognition. Gather takes digits without it.",
  },
  referFailed: {
    kind: "unavailable",
    code: 13234,
    message: "Cannot refer the call",
    advice: "The other side must take a REFER and reach whom it names. A trunk is asked to call " +
      "beyond this service only where it is a Gateway of the account itself.",
  },
  // Recordings and their audio.
  recordingBrokeOff: {
    kind: "unavailable",
    code: 13260,
    message: "Cannot record to the end",
    advice: "A part of the service stopped, or had no room. The audio is there up to that moment.",
  },
  recordingNotStored: {
    kind: "unavailable",
    code: 13261,
    message: "Cannot store the audio of a recording",
    advice: "The operator must make room on the disk, or let the object storage take it (S3_…). " +
      "It is tried again.",
  },
  recordingNotDeleted: {
    kind: "unavailable",
    code: 13263,
    message: "Cannot delete the audio of a recording",
    advice: "The operator must delete it: the disk or the object storage did not for hours.",
  },
  badRange: {
    kind: "unsatisfiable",
    code: 20416,
    message: "Cannot answer the range",
    advice: "Ask for bytes before the end that Content-Range tells.",
  },
  // Messages, e-mail and look-ups of devices.
  senderNotAllowed: {
    kind: "invalid",
    code: 21606,
    message: "Cannot send from this originator",
    advice: "Give an SMS-capable number of the account, or a short code the operator allows.",
  },
  emptyBody: {
    kind: "invalid",
    code: 21602,
    message: "Cannot send an empty message",
    advice: "Give a Body of 1 to 160 characters.",
  },
  bodyTooLong: {
    kind: "invalid",
    code: 21605,
    message: "Cannot send so long a message",
    advice: "Give a Body of 1 to 160 characters.",
  },
  noMessageRoute: {
    kind: "invalid",
    code: 21612,
    message: "Cannot route the message",
    advice: "The operator must configure a route to the number or the Client in To.",
  },
  messageNotSent: {
    kind: "unavailable",
    code: 30008,
    message: "Cannot send the message",
    advice: "The route to the number did not take the message. Send it again later.",
  },
  messageUndelivered: {
    kind: "unavailable",
    code: 30005,
    message: "Cannot deliver the message",
    advice: "The carrier took the message, and did not deliver it. Check the number in To.",
  },
  messageRefused: {
    kind: "invalid",
    code: 30007,
    message: "Cannot send the message: the recipient does not take it",
    advice:
      "The message tells what the Client's softphone or the carrier answered; it would again.",
  },
  messageFlood: {
    kind: "throttled",
    code: 14107,
    message: "Cannot take so many messages from one Client to one recipient",
    advice:
      "Look for two programs that answer each other. Messages are taken again a minute later.",
  },
  numberWithoutSmsUrl: {
    kind: "invalid",
    code: 14108,
    message: "Cannot hand the message to an application",
    advice: "Give the number an SmsUrl, or an application of the kind sms with a Flow or RcmlUrl.",
  },
  messageIncomplete: {
    kind: "unavailable",
    code: 14109,
    message: "Cannot receive the whole of a long message",
    advice: "Its other parts did not come from the carrier in time. Ask the sender for it again.",
  },
  emailNotSent: {
    kind: "unavailable",
    code: 13250,
    message: "Cannot send the e-mail",
    advice: "The message tells what the mail server answered. Correct the addresses or try later.",
  },
  emailRefused: {
    kind: "invalid",
    code: 13251,
    message: "Cannot send the e-mail: the mail server refuses it",
    advice: "The message tells what the mail server answered. Correct the addresses.",
  },
  notLocated: {
    kind: "unavailable",
    code: 13240,
    message: "Cannot locate the device",
    advice: "The operator must configure a location source (LOCATION_URL) that knows the number.",
  },
} as const satisfies Record<string, FaultEntry>;

export type FaultName = keyof typeof faults;

/** What a Fault may have besides. */
export interface FaultOptions extends ErrorOptions {
  /** Seconds after which it is worth trying again, where that is known. */
  retryAfterS?: number;
}

/** A refusal that the caller is meant to see. Anything else that is thrown is a bug. */
export class Fault extends Error {
  override readonly name = "Fault";
  readonly kind: FaultKind;
  readonly code: number;
  readonly retryAfterS: number | undefined;

  constructor(readonly fault: FaultName, readonly detail?: string, options?: FaultOptions) {
    super(faults[fault].message + (detail === undefined ? "" : `: ${detail}`), options);
    this.kind = faults[fault].kind;
    this.code = faults[fault].code;
    this.retryAfterS = options?.retryAfterS;
  }
}
