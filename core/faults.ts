import { sendingFaults } from "./sending_faults.ts";

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
  ...sendingFaults,
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
  mediaLost: {
    kind: "unavailable",
    code: 13231,
    message: "Cannot go on with the call: its audio was lost",
    advice: "Check that the phone's network lets UDP through to the companion and back.",
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
    message: "Cannot go on with the call: its documents redirect without end",
    advice: "Let one of the documents do something that takes time.",
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
    advice: "The URL must answer with a WAV file that this service can decode.",
  },
} as const satisfies Record<string, FaultEntry>;

export type FaultName = keyof typeof faults;

/** A refusal that the caller is meant to see. Anything else that is thrown is a bug. */
export class Fault extends Error {
  override readonly name = "Fault";
  readonly kind: FaultKind;
  readonly code: number;

  constructor(readonly fault: FaultName, readonly detail?: string, options?: ErrorOptions) {
    super(faults[fault].message + (detail === undefined ? "" : `: ${detail}`), options);
    this.kind = faults[fault].kind;
    this.code = faults[fault].code;
  }
}
