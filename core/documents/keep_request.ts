/**
 * A record of each request for markup. Records of failures alone, or a memory of one instance, would not
 * answer "why did this happen?" about requests that succeeded. A store that fails does not end the call.
 *
 * The record of a request for markup goes with the next commit, 50 ms later at most (`insertSoon`), and
 * no response waits for it: else it was the seventh commit of an answered call, and the answer to the companion
 * waited. To write it with the report that asked for the document was refused: that is committed before the
 * request is made. A killed process loses the records of its last 50 ms.
 */
import { type Exchange, withoutCredentials } from "../base/exchange.ts";
import { Fault } from "../base/faults.ts";
import { limits } from "../base/limits.ts";
import { type Cause, sidOfCause } from "../base/sid.ts";
import type { Signable } from "../base/signature.ts";
import { shownUrl } from "../model/flows/address.ts";
import { newBase } from "../model/resource.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Call } from "../model/resources/calls.ts";
import { type DocumentRequest, documentRequests } from "../model/resources/document_requests.ts";

/** Outcome of a request for markup. */
export interface RequestOutcome {
  exchange?: Exchange | undefined;
  status?: number | undefined;
  verbs?: readonly { name: string }[];
  skipped?: readonly string[];
  error?: string;
}

/** A request for the markup of a call. */
export interface RequestMade {
  /** The Sid of its record (`requestSid`). */
  sid: string;
  call: Call;
  request: Signable;
  /** In ms. */
  startTime: number;
}

/** The Sid of a request for markup. That of a repeat, which has the same cause, is the same. */
export const requestSid = (
  { url }: Pick<Signable, "url">,
  cause: Cause | undefined,
  { newSid }: Pick<Ports, "newSid">,
): string =>
  cause === undefined
    ? newSid(documentRequests.sidPrefix)
    : sidOfCause(documentRequests.sidPrefix, { at: cause.at, id: `${cause.id} ${shownOf(url)}` });

const shownOf = (url: string): string =>
  withoutCredentials(shownUrl(url)).slice(0, limits.urlLength);

/**
 * Stores a request for markup, as Deliveries store callbacks. The record is written with the next commit,
 * so the call need not wait for it. Nothing is stored of a call that was removed meanwhile. Never rejects: a
 * store that fails does not end the call.
 */
export async function keepRequest(
  made: RequestMade,
  outcome: RequestOutcome,
  ports: Ports,
): Promise<void> {
  try {
    const { accountSid, sid } = made.call;
    if (await ports.records.calls.get(accountSid, sid) === null) return;
    await ports.records.documentRequests.insertSoon({ record: recordOf(made, outcome, ports) });
  } catch (error) {
    const isKept = error instanceof Fault && error.fault === "alreadyExists";
    if (isKept) return;
    ports.log("Cannot keep a request for markup", { callSid: made.call.sid, error });
  }
}

function recordOf(
  { sid, call, request, startTime }: RequestMade,
  { exchange, status, verbs = [], skipped = [], error }: RequestOutcome,
  ports: Ports,
): DocumentRequest {
  const base = newBase(documentRequests, call.accountSid, ports);
  const text = (value: string | undefined, most: number) => value?.slice(0, most) || null;
  return {
    ...base,
    sid,
    callSid: call.sid,
    url: shownOf(request.url),
    method: request.method === "GET" ? "GET" : "POST",
    requestVariables: request.params,
    startTime,
    duration: Math.max(0, Math.round(base.dateCreated - startTime)),
    status: status ?? null,
    responseHeaders: text(exchange?.responseHeaders, limits.deliveryAnswerLength),
    responseBody: text(exchange?.responseBody, limits.noticeLength),
    verbs: verbs.map(({ name }) => name).join(", ").slice(0, limits.deliveryAnswerLength),
    skipped: text([...new Set(skipped)].join("; "), limits.deliveryAnswerLength),
    error: text(error, limits.deliveryErrorLength),
  };
}
