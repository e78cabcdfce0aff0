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
    advice:
      "Set Status=active with the credentials of the parent account. A closed account stays " +
      "closed.",
  },
  denied: {
    kind: "denied",
    code: 20403,
    message: "Cannot authorize the request",
    advice: "Use the credentials of the account itself or of a parent account, with a Role that " +
      "has the permission.",
  },
  notFound: {
    kind: "missing",
    code: 20404,
    message: "Cannot find the resource",
    advice: "Check the path and the Sid. A resource of another account gives this error too.",
  },
  alreadyExists: {
    kind: "conflict",
    code: 20409,
    message: "Cannot save the resource: a value that must be unique is in use",
    advice: "Send another value of the parameter or header that the message names.",
  },
  flowChanged: {
    kind: "conflict",
    code: 20010,
    message: "Cannot save the application: another version of its flow was saved meanwhile",
    advice: "Read the Application, make the change to its current flow, and send its FlowVersion.",
  },
  notAcceptable: {
    kind: "unacceptable",
    code: 20406,
    message: "Cannot respond in XML",
    advice: "Append .json to the path: this resource exists in JSON only.",
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
    message: "Cannot accept a cross-site request",
    advice: "Send the request from a server. Requests that a browser sends for a page of another " +
      "site are refused, because they may carry stored credentials.",
  },
  throttled: {
    kind: "throttled",
    code: 20429,
    message: "Cannot accept the request: the rate limit is exceeded",
    advice:
      "Wait for the seconds in the Retry-After header, then send the request again. Where the " +
      "text speaks of wrong credentials, a program at your address repeats them: correct its token.",
  },
  bug: {
    kind: "internal",
    code: 20500,
    message: "Cannot complete the request",
    advice: "This is a defect of the service. Report it with the X-Request-Id of the response.",
  },
  expired: {
    kind: "throttled",
    code: 20504,
    message: "Cannot retry the request: the time limit for retries is over",
    advice: "Repair the server at the other end, which failed for a day. Then send the request " +
      "again.",
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
    message: "Cannot use the URL",
    advice: "Send an absolute http or https URL. A URL at a private address needs " +
      "ALLOW_PRIVATE_URLS, which the operator sets.",
  },
  badTo: {
    kind: "invalid",
    code: 21211,
    message: "Cannot use the recipient",
    advice:
      "Send a phone number, client: and the Login of a Client, or for calls a sip: address. " +
      "In a form, send + as %2B.",
  },
  noTo: {
    kind: "invalid",
    code: 21604,
    message: "Cannot call or send a message without a recipient",
    advice: "Send the recipient as To.",
  },
  noFrom: {
    kind: "invalid",
    code: 21603,
    message: "Cannot send a message without a sender",
    advice: "Send a number or a Client of the account as From.",
  },
  badFrom: {
    kind: "invalid",
    code: 21212,
    message: "Cannot use the sender",
    advice: "Send a phone number, client: and the Login of a Client, or for calls a name. In a " +
      "form, send + as %2B.",
  },
  badPhoneNumber: {
    kind: "invalid",
    code: 21421,
    message: "Cannot use the number",
    advice: "Send a possible number in E.164 form, of the kind that the path names.",
  },
  numberUnavailable: {
    kind: "invalid",
    code: 21422,
    message: "Cannot provision the number",
    advice: "Send another number from AvailablePhoneNumbers. To change a number that the account " +
      "owns, POST to its Sid below IncomingPhoneNumbers.",
  },
  noNumberInArea: {
    kind: "invalid",
    code: 21452,
    message: "Cannot find an available number in the area",
    advice: "AreaCode is the three digits of an area code of the United States or Canada. Send " +
      "another AreaCode, or a PhoneNumber from AvailablePhoneNumbers.",
  },
  // Calls, their markup and their callbacks.
  callerIdNotAllowed: {
    kind: "invalid",
    code: 21210,
    message: "Cannot use this caller ID",
    advice: "Send as From or callerId a number, an OutgoingCallerId or a Client of the account.",
  },
  destinationNotAllowed: {
    kind: "invalid",
    code: 21215,
    message: "Cannot call this number: its destination is not allowed",
    advice: "Call numbers that begin with one of DESTINATION_PREFIXES, which the operator sets.",
  },
  callEnded: {
    kind: "invalid",
    code: 21220,
    message: "Cannot modify a call that has ended",
    advice: "Modify only calls whose Status is queued, ringing or in-progress.",
  },
  notModifiable: {
    kind: "invalid",
    code: 21221,
    message: "Cannot modify the call in its state",
    advice: "Url, Mute and MoveConnectedCallLeg need a call whose Status is in-progress. " +
      "MoveConnectedCallLeg also needs Url.",
  },
  noRoute: {
    kind: "invalid",
    code: 13224,
    message: "Cannot route the call: the address has no destination",
    advice: "A Client must exist and be enabled. A number must have a VoiceUrl, or a Gateway or " +
      "OUTBOUND_PROXY must route it.",
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
    message: "Cannot place the call: no Gateway accepted it",
    advice: "Check Proxy, UserName, Password and Status of the account's Gateways.",
  },
  draining: {
    kind: "unavailable",
    code: 20505,
    message: "Cannot take new calls: the service is about to restart",
    advice: "Send the request again after the seconds of Retry-After.",
  },
  callRefused: {
    kind: "invalid",
    code: 13228,
    message: "Cannot connect the call: the called side refused it",
    advice:
      "The text has the SIP status and the words of the phone or carrier. 401 and 407: check " +
      "UserName and Password of the Gateway. 403: the carrier does not allow the caller ID or the " +
      "destination. 404, 410, 484 and 604: check the number and its format. 480: the phone takes " +
      "no calls.",
  },
  conferenceEnded: {
    kind: "invalid",
    code: 21222,
    message: "Cannot modify a conference that has ended",
    advice: "Modify only conferences whose Status is not completed.",
  },
  queueNotEmpty: {
    kind: "invalid",
    code: 21223,
    message: "Cannot delete a queue in which calls wait",
    advice: "Take the calls out of the queue, or wait until they have left it.",
  },
  conferenceUnreached: {
    kind: "unavailable",
    code: 13232,
    message: "Cannot join the conference",
    advice: "The operator checks that the companion of the conference responds at its " +
      "SIP_PEER_URI.",
  },
  queueUnreached: {
    kind: "unavailable",
    code: 13233,
    message: "Cannot take a call from the queue",
    advice: "The operator checks that the companion of the waiting call responds at its " +
      "SIP_PEER_URI.",
  },
  mediaLost: {
    kind: "unavailable",
    code: 13231,
    message: "Cannot continue the call: its audio was lost",
    advice: "Allow UDP between the network of the phone and the companion, in both directions.",
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
    message: "Dropped audio from an unknown source address",
    advice: "Audio is accepted from the address in the SDP, the signalling address of the phone, " +
      "and the addresses of the trunk. If the source is the phone or trunk itself, have its " +
      "SDP name the address, or let the operator add it to SIP_TRUSTED_SOURCES. Any other " +
      "source is an attack, or audio of an earlier call.",
  },
  companionLost: {
    kind: "unavailable",
    code: 13235,
    message: "Cannot continue the call: the SIP companion lost it",
    advice: "Place the call again. The log of the companion holds the reason.",
  },
  notDialled: {
    kind: "unavailable",
    code: 13225,
    message: "Cannot place the call: the SIP companion is unreachable",
    advice: "The operator checks that the companion runs and that BRIDGE_URL is its address.",
  },
  callbackFailed: {
    kind: "unavailable",
    code: 11200,
    message: "Cannot deliver a status callback",
    advice: "The application server must respond to the callback URL with a status below 500 " +
      "within 15 seconds.",
  },
  deliveryQueued: {
    kind: "invalid",
    code: 21230,
    message: "Cannot replay a delivery that is queued",
    advice: "Wait until its Status is delivered or failed.",
  },
  documentUnreachable: {
    kind: "unavailable",
    code: 11210,
    message: "Cannot fetch the markup document",
    advice: "The application server must respond to the URL with 2xx and markup within 15 seconds.",
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
    advice: "Respond with Content-Type text/xml, application/xml, audio/* or text/plain.",
  },
  documentLoop: {
    kind: "invalid",
    code: 12400,
    message: "Cannot continue: the documents redirect without end",
    advice: "Add a verb that takes time, such as Say, Pause or Gather, to one of the documents.",
  },
  flowFailed: {
    kind: "invalid",
    code: 12500,
    message: "Cannot continue the flow",
    advice: "Check the Flow of the Application that the message names: the Flow or one of its " +
      "steps was removed or is no longer valid.",
  },
  serviceFailed: {
    kind: "unavailable",
    code: 12510,
    message: "Cannot use the response of an external service",
    advice:
      "The URL of the externalService step must respond with 2xx within 15 seconds, with at " +
      "most 64 KiB, and with JSON where the step extracts values. Set onRemoteError to " +
      "handle the failure in the flow.",
  },
  markupSkipped: {
    kind: "invalid",
    code: 12200,
    message: "Cannot perform a part of the markup",
    advice: "The service skipped the part that the message names. Check the names and values of " +
      "its verbs and attributes.",
  },
  audioUnavailable: {
    kind: "unavailable",
    code: 13230,
    message: "Cannot play the audio",
    advice: "The URL must respond with a WAV or MP3 file that the service can decode.",
  },
  notSpoken: {
    kind: "unavailable",
    code: 13241,
    message: "Cannot say the text",
    advice:
      "Check voice and language of Say. If they are right, the operator checks the text-to- " +
      "speech of the service.",
  },
  notTranscribed: {
    kind: "invalid",
    code: 13242,
    message: "Cannot transcribe the recording",
    advice: "The operator sets up speech recognition: RECOGNITION_URL, or pocketsphinx on the " +
      "machine of the service. The recording must have a length and language that it " +
      "supports.",
  },
  speechUnavailable: {
    kind: "unavailable",
    code: 13245,
    message: "Cannot recognize speech",
    advice: "The operator sets up speech recognition (RECOGNITION_URL or pocketsphinx). Gather " +
      "accepts digits without it.",
  },
  referFailed: {
    kind: "unavailable",
    code: 13234,
    message: "Cannot transfer the call with Refer",
    advice: "The remote party must support REFER and be able to reach the address. A trunk " +
      "transfers beyond this service only if it is a Gateway of the account.",
  },
  // Recordings and their audio.
  recordingBrokeOff: {
    kind: "unavailable",
    code: 13260,
    message: "Cannot complete the recording",
    advice: "The companion stopped, or the storage was full. The audio up to that moment is kept.",
  },
  recordingEnded: {
    kind: "invalid",
    code: 13264,
    message: "Cannot change a recording that has ended",
    advice: "Pause, resume or stop a recording while its Status is in-progress or paused.",
  },
  recordingLimit: {
    kind: "invalid",
    code: 13265,
    message: "Cannot record the call once more",
    advice: "Stop one of the recordings of the call that are in progress, then start another.",
  },
  recordingNotStored: {
    kind: "unavailable",
    code: 13261,
    message: "Cannot store the audio of a recording",
    advice: "The operator frees disk space, or repairs the object storage (S3_ENDPOINT). The " +
      "service retries.",
  },
  recordingNotDeleted: {
    kind: "unavailable",
    code: 13263,
    message: "Cannot delete the audio of a recording",
    advice: "The service retried for hours. The operator deletes the audio on the disk or in the " +
      "object storage.",
  },
  badRange: {
    kind: "unsatisfiable",
    code: 20416,
    message: "Cannot satisfy the Range header",
    advice: "Request bytes below the length in the Content-Range header.",
  },
  // Messages, e-mail and look-ups of devices.
  senderNotAllowed: {
    kind: "invalid",
    code: 21606,
    message: "Cannot send from this sender",
    advice:
      "Send as From an SMS-capable number of the account, or a short code that the operator " +
      "allows.",
  },
  emptyBody: {
    kind: "invalid",
    code: 21602,
    message: "Cannot send a message with an empty Body",
    advice: "Give a Body of 1 to 160 characters.",
  },
  bodyTooLong: {
    kind: "invalid",
    code: 21605,
    message: "Cannot send a message with so long a Body",
    advice: "Give a Body of 1 to 160 characters.",
  },
  textTooLong: {
    kind: "invalid",
    code: 21617,
    message: "Cannot send a message with so long a Body",
    advice: "Give a Body of 1 to 1,600 characters.",
  },
  noMessageRoute: {
    kind: "invalid",
    code: 21612,
    message: "Cannot route the message",
    advice: "The operator configures a route to the number or Client in To, and allows its " +
      "destination by DESTINATION_PREFIXES.",
  },
  messageNotEnded: {
    kind: "conflict",
    code: 20009,
    message: "Cannot change or delete a message that is being sent",
    advice: "Wait until its status is sent, delivered, undelivered, failed or received.",
  },
  badSchedule: {
    kind: "invalid",
    code: 35114,
    message: "Cannot schedule the message for this time",
    advice: "Send as SendAt an ISO 8601 time with its offset, at most 35 days ahead.",
  },
  messageNotScheduled: {
    kind: "conflict",
    code: 30409,
    message: "Cannot cancel a message that does not wait for its time",
    advice: "Only a message with SendAt can be canceled, before that time.",
  },
  messageCanceled: {
    kind: "invalid",
    code: 30010,
    message: "The message was canceled before it was sent",
    advice: "Nothing needs to be done: a request with Status=canceled asked for it.",
  },
  messageExpired: {
    kind: "unavailable",
    code: 30036,
    message: "Cannot send the message within its ValidityPeriod",
    advice: "No route took the message in time. Send it again, or with a longer ValidityPeriod.",
  },
  messageNotSent: {
    kind: "unavailable",
    code: 30008,
    message: "Cannot send the message",
    advice: "The route to the number did not accept the message. Send it again later.",
  },
  messageUndelivered: {
    kind: "unavailable",
    code: 30005,
    message: "Cannot deliver the message",
    advice: "The carrier accepted the message but did not deliver it. Check the number in To.",
  },
  messageRefused: {
    kind: "invalid",
    code: 30007,
    message: "Cannot send the message: the recipient or the carrier refused it",
    advice:
      "The message quotes the response of the softphone or the carrier. Change the message: " +
      "a retry gets the same response.",
  },
  messageFlood: {
    kind: "throttled",
    code: 14107,
    message: "Cannot accept so many messages from one sender to one recipient",
    advice: "Look for two programs that reply to each other. The service accepts messages again " +
      "after the seconds in the message.",
  },
  numberWithoutSmsUrl: {
    kind: "invalid",
    code: 14108,
    message: "Cannot pass the message to an application",
    advice: "Set SmsUrl of the number, or SmsApplicationSid to an Application of Kind sms that " +
      "has a Flow or an RcmlUrl.",
  },
  messageIncomplete: {
    kind: "unavailable",
    code: 14109,
    message: "Cannot receive all parts of a long message",
    advice:
      "The carrier did not send the other parts in time. Ask the sender to send the message " +
      "again.",
  },
  emailNotSent: {
    kind: "unavailable",
    code: 13250,
    message: "Cannot send the e-mail",
    advice:
      "The service tried six times in three to six minutes. The message has the last response of " +
      "the mail server, or why it was not reached. The operator checks SMTP_URL: host, port, user " +
      "and password. Then send the e-mail again.",
  },
  emailRefused: {
    kind: "invalid",
    code: 13251,
    message: "Cannot send the e-mail: the mail server refused it",
    advice: "The message quotes the response of the mail server and names the recipients that it " +
      "refused. Correct From and those addresses. The service does not try again.",
  },
  // Audio streams.
  streamUnreachable: {
    kind: "unavailable",
    code: 31920,
    message: "Cannot carry an audio stream: its server is not reached",
    advice:
      "The message has the response of the server, or why the WebSocket did not open or broke " +
      "off. Check the url of Stream, the certificate of the server, and that it answers pings.",
  },
  streamMessages: {
    kind: "invalid",
    code: 31951,
    message: "Cannot go on with an audio stream: its server sends no valid messages",
    advice: "Send JSON texts with the event media, mark or clear. media needs a payload in base64.",
  },
  streamSlow: {
    kind: "unavailable",
    code: 31932,
    message: "Cannot send all frames of an audio stream: its server is slow",
    advice: "Read the WebSocket at the pace of the audio, and do slow work beside that.",
  },
  streamOverflow: {
    kind: "tooLarge",
    code: 31952,
    message: "Cannot queue more audio of the server of an audio stream",
    advice:
      "Send audio at the pace at which it is heard, or wait for marks. The operator sets the " +
      "bound by STREAM_QUEUE_S.",
  },
  streamLimit: {
    kind: "invalid",
    code: 31944,
    message: "Cannot start another audio stream of the call",
    advice:
      "A call has four streams of Start and one of Connect, each with a name of its own. Stop " +
      "one, or give another Name.",
  },
  badStreamUrl: {
    kind: "invalid",
    code: 31940,
    message: "Cannot use the URL of an audio stream",
    advice: "Give a wss URL; that of a Stream has no query: what its server is to know stands in " +
      "Parameter. ws, and private addresses, need ALLOW_PRIVATE_URLS.",
  },
  conversationUnreachable: {
    kind: "unavailable",
    code: 39001,
    message: "Cannot lead a conversation: the server of ConversationRelay is not reached",
    advice:
      "The message has the response of the server, or why the WebSocket did not open or broke " +
      "off. Check the url of ConversationRelay, the certificate of the server, and that it " +
      "answers pings.",
  },
  conversationMessages: {
    kind: "invalid",
    code: 64107,
    message: "Cannot go on with a conversation: its server sends no valid messages",
    advice:
      "Send JSON texts of the types text, play, sendDigits, language and end. Each that was not " +
      "understood was answered with a message of the type error, which says why.",
  },
  notLocated: {
    kind: "unavailable",
    code: 13240,
    message: "Cannot locate the device",
    advice: "The operator configures a location source (LOCATION_URL) that knows the number.",
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
