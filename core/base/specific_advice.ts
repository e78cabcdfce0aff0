import { callFaults } from "./faults/call_faults.ts";
import { documentFaults } from "./faults/document_faults.ts";

/**
 * Advice for one failure, where the advice of its code covers several: by the SIP status of a refusal, or
 * by what happened to a request. A reader gets the one sentence that applies.
 */

/** Advice about a final SIP response to an INVITE, by its status (RFC 3261 §21). */
const byStatus: Readonly<Record<number, string>> = {
  401: "Check UserName and Password of the Gateway.",
  402: "The carrier asks for payment: check the credit of the account there.",
  403: "The carrier does not allow the caller ID or the destination. Use a From that the carrier " +
    "assigned, and ask it to allow the destination.",
  404: "The called side does not know the number: check the number and its format.",
  407: "Check UserName and Password of the Gateway.",
  408: "The called side did not respond in time: check that the address of the Gateway is right " +
    "and that its server answers SIP from this machine.",
  410: "The number is no longer in service: check the number.",
  480: "The phone takes no calls at the moment: call again later.",
  484: "The number is incomplete: check its digits and its format.",
  500: "The server of the called side failed: call again later, or ask its operator.",
  502: "The server of the called side failed: call again later, or ask its operator.",
  503:
    "The called side has no capacity or cannot be reached: check Proxy of the Gateway, call again " +
    "later, or add a second Gateway.",
  504: "The server of the called side failed: call again later, or ask its operator.",
  604: "The number exists nowhere: check the number.",
  607: "The called person refuses unwanted calls: do not call again.",
  608: "An analysis of the called side refuses the call: ask its operator.",
};

/** Advice about any other status, by its first digit. */
const byClass: Readonly<Record<number, string>> = {
  3: "The called side moved, and calls are not redirected: dial the new address.",
  4: "The called side does not accept the request: compare it with what the carrier expects, in the " +
    "SIP trace of the call.",
  5: "The server of the called side failed: call again later, or ask its operator.",
  6: "The called person takes no calls.",
};

/** The advice about a SIP status that refused a call; undefined for a status that refuses none. */
export const adviceOfStatus = (status: number): string | undefined =>
  byStatus[status] ?? byClass[Math.floor(status / 100)];

/** Codes whose text names the SIP status. */
const ofStatus: readonly number[] = [callFaults.callRefused.code, callFaults.trunkUnreachable.code];

/** The advice about each SIP status that a code covers; empty for a code without any. */
export const statusAdvices = (code: number): [status: number, advice: string][] =>
  ofStatus.includes(code)
    ? Object.entries(byStatus).map(([status, advice]) => [Number(status), advice])
    : [];

/** The advice about a status in the address of the page of a code; undefined where it has none. */
export const adviceForStatus = (code: number, status: string | undefined): string | undefined =>
  ofStatus.includes(code) && /^[3-6]\d\d$/.test(status ?? "")
    ? adviceOfStatus(Number(status))
    : undefined;

/** The SIP status that the text of a Notification names; undefined where its code has none. */
export function statusIn(code: number, text: string): number | undefined {
  if (!ofStatus.includes(code)) return undefined;
  const status = /\bSIP ([3-6]\d\d)\b/.exec(text)?.[1];
  return status === undefined ? undefined : Number(status);
}

/** Codes of requests to servers of customers. */
const ofRequests: readonly number[] = [
  documentFaults.callbackFailed.code,
  documentFaults.documentUnreachable.code,
  documentFaults.serviceFailed.code,
];

/** Advice about a failed request, by words in its reason. */
const byReason: readonly [words: string, advice: string][] = [
  [
    "refused the connection",
    "Start the application server, or correct host and port of the URL: nothing listens there.",
  ],
  [
    "cannot be resolved",
    "Correct the host name of the URL, or its DNS records: it has no address.",
  ],
  ["no route", "Correct the host of the URL: its network cannot be reached from this service."],
  ["certificate", "Correct the TLS certificate of the application server."],
  ["not HTTP", "Correct scheme and port of the URL: the server there does not speak HTTP."],
  [
    "closed the connection",
    "Look into the log of the application server: it closed the connection before its response.",
  ],
  [
    "answered 401",
    "Correct user and password in the URL, or let the application server accept " +
    "requests without them.",
  ],
  ["answered 403", "Let the application server accept the requests of this service."],
  ["answered 404", "Correct the path of the URL: the application server has no such page."],
  ["answered 405", "Correct the method beside the URL: the application server takes another one."],
  ["answered 5", "Look into the log of the application server: it failed at this request."],
  [" within ", "The application server is too slow: it must respond within 15 seconds."],
  [
    "did not answer in time",
    "The application server is too slow, or does not run: it must respond " +
    "within 15 seconds.",
  ],
];

/** The advice about one failure by its code and text; undefined where that of the code says all. */
export function specificAdvice(code: number, text: string): string | undefined {
  const status = statusIn(code, text);
  if (status !== undefined) return adviceOfStatus(status);
  if (!ofRequests.includes(code)) return undefined;
  return byReason.find(([words]) => text.includes(words))?.[1];
}
