import type { FaultEntry } from "./fault_entry.ts";

/** The REST interface and phone numbers. */
export const requestFaults = {
  badParameter: {
    kind: "invalid",
    code: 20001,
    message: "Cannot accept the request parameters",
    advice: "Correct the parameter that the message names and send the request again.",
  },
  unknownParameter: {
    kind: "invalid",
    code: 12210,
    message: "A request has an unknown parameter",
    advice: "Correct the name of the parameter, or leave it out. Names are case-sensitive. The " +
      "Warning header of each response names the unknown parameters of its request.",
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
  draftChanged: {
    kind: "conflict",
    code: 20011,
    message: "Cannot save the application: another draft of its flow was saved meanwhile",
    advice: "Read the Application, choose between its draft and yours, and send its " +
      "FlowDraftRevision.",
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
  productAbsent: {
    kind: "notImplemented",
    code: 20501,
    message: "Cannot serve a product of Twilio that is not here",
    advice: "Use what the message names in its place. The service has Twilio's core API, at " +
      "/2010-04-01, and AuthTokens of the Accounts API. A library whose base URL is " +
      "this service sends requests for all products of Twilio here.",
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
  storeUnwritable: {
    kind: "unavailable",
    code: 20506,
    message: "Cannot write to the store",
    advice: "The operator frees space on the disk of DATA_DIR, makes it writable, or repairs the " +
      "KV server. Until then requests that change something get 503, and nothing is sent or " +
      "called; what waits goes on by itself.",
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
} as const satisfies Record<string, FaultEntry>;
