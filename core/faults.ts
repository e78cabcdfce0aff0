import { callFaults } from "./call_faults.ts";
import { recordingFaults } from "./recording_faults.ts";
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
  ...callFaults,
  ...recordingFaults,
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
