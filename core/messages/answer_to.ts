import { unanswered, withoutCredentials } from "../base/exchange.ts";
import { Fault, type FaultName } from "../base/faults.ts";
import { shownUrl } from "../model/flows/address.ts";
import { documentAt } from "../documents/document_at.ts";
import { requestSid } from "../documents/keep_request.ts";
import { limits } from "../base/limits.ts";
import { compileAnswer } from "../documents/compile_answer.ts";
import { type Document, DocumentFault } from "../documents/fetch.ts";
import { notify } from "../webhooks/notify.ts";
import { keep, performAction, type PerformedAction } from "./perform_action.ts";
import { order } from "../model/values/order.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Account } from "../model/resources/accounts.ts";
import type { Message } from "../model/resources/messages.ts";
import type { Signable } from "../base/signature.ts";
import { floodNotice } from "./flood_notice.ts";
import { type SmsMarkup, smsParameters } from "./sms_markup.ts";

/** A message to which an application replies. */
export interface Answering {
  account: Account;
  message: Message;
  markup: SmsMarkup;
  ports: Ports;
  signal: AbortSignal;
}

/**
 * Requests the markup of a message and performs it, document after document. Throws a DocumentFault for one
 * that cannot be fetched or read. A second run makes no record twice.
 */
export async function answerTo(answering: Answering): Promise<void> {
  let asked: Signable | null = { ...answering.markup.first, params: {} };
  for (let hops = 0; asked !== null; hops++) {
    if (hops === limits.documentHops) return await notifyLoop(asked, answering);
    const { document, source } = hops === 0
      ? await firstDocument(answering)
      : { document: await fetchFor(asked, hops, answering), source: asked };
    asked = await perform(document, { source, hops }, answering);
  }
}

/** The document at SmsUrl; when that fails the one at SmsFallbackUrl. */
async function firstDocument(
  answering: Answering,
): Promise<{ document: Document; source: Signable }> {
  const { first, fallback } = answering.markup;
  const source = { ...first, params: {} };
  try {
    return { document: await fetchFor(source, 0, answering), source };
  } catch (error) {
    if (!(error instanceof DocumentFault) || fallback === null) throw error;
    const ErrorUrl = withoutCredentials(error.exchange.url);
    const second = { ...fallback, params: { ErrorCode: String(error.code), ErrorUrl } };
    const document = await fetchFor(second, 0, answering);
    await notifyFailure(error, answering);
    return { document, source: second };
  }
}

/** `hops`: documents before it. A repeat of the same document has the same Delivery. */
function fetchFor(source: Signable, hops: number, answering: Answering): Promise<Document> {
  const { account, message, ports, signal } = answering;
  const { accountSid, sid, from, to, dateCreated: at } = message;
  const known = smsParameters(message);
  const subject = { accountSid, from, to, callSid: null };
  const deliverySid = requestSid(source, { at, id: `${sid} ${hops}` }, ports);
  const cause = { at, id: sid };
  const context = { account, callSid: null, known, signal, cause, subject, deliverySid };
  return documentAt(source, context, ports);
}

/** The note of a plain text as reply of a number that was not made at Twilio's interface. */
const plainTextRule = "a text/plain response is a reply for numbers made at /2010-04-01 alone; " +
  "send <Response><Sms>…</Sms></Response> as text/xml";

/** Performs a document; resolves with the next one, or null. */
async function perform(
  document: Document,
  { source, hops }: { source: Signable; hops: number },
  answering: Answering,
): Promise<Signable | null> {
  const { from: theirs, to: ours, apiVersion } = answering.message;
  const context = { documentUrl: document.url, hops, ends: { ours, theirs, apiVersion } };
  const isTwilio = apiVersion === limits.twilioApiVersion;
  if (document.plain !== undefined && !isTwilio) {
    await notifySkipped([plainTextRule], source, answering);
    return null;
  }
  const verbs = document.plain ?? document.verbs;
  const { steps, skipped } = await compileAnswer(verbs, context);
  if (skipped.length > 0) await notifySkipped(skipped, source, answering);
  for (const [at, step] of steps.entries()) {
    if (step.type === "next") return { ...step.action, params: {} };
    const { params } = await commit(step.serviceContext, `${hops} ${at}`, answering);
    if (step.action !== undefined) return { ...step.action, params };
  }
  return null;
}

/** Performs an order, unless an earlier run has done so. */
async function commit(
  serviceContext: unknown,
  place: string,
  { message, ports }: Answering,
): Promise<PerformedAction> {
  const { accountSid, sid } = message;
  const flood = floodOf(serviceContext, message, ports);
  if (flood !== null) return { also: [], jobs: [], params: await flood };
  const cause = { at: message.dateCreated, id: `${sid} ${place}` };
  const made = await performAction(serviceContext, { accountSid, callSid: null, cause }, ports);
  await keep(made, ports);
  return made;
}

/** Stops a loop of two applications: parameters of the verb's action. Null below the rate limit. */
function floodOf(
  serviceContext: unknown,
  { accountSid }: Message,
  ports: Ports,
): Promise<Record<string, string>> | null {
  const { data } = order.safeParse(serviceContext);
  if (data?.kind !== "sms") return null;
  const { from, to } = data;
  const verdict = ports.messagePairs.take(from, to);
  if (verdict === "taken") return null;
  const { retryAfterS, isFirst } = verdict;
  const notice = floodNotice({ from, to, accountSid, retryAfterS }, ports.now());
  return (isFirst ? notify(notice, ports) : Promise.resolve())
    .then(() => ({ SmsStatus: "failed" }));
}

/** Adds one Notification of a failure in a message's markup, however often it occurs. */
export async function notifyFailure(failure: Fault, answering: Answering): Promise<void> {
  const { markup: { first } } = answering;
  const exchange = failure instanceof DocumentFault
    ? failure.exchange
    : unanswered({ ...first, params: smsParameters(answering.message) });
  await notifyOf({ fault: failure.fault, detail: failure.detail ?? "", exchange }, answering);
}

const notifyLoop = ({ url, method }: Signable, answering: Answering) =>
  notifyOf({
    fault: "documentLoop",
    detail: `${limits.documentHops} documents redirected in a row`,
    exchange: unanswered({ url: shownUrl(url), method, params: {} }),
  }, answering);

const notifySkipped = (skipped: string[], source: Signable, answering: Answering) =>
  notifyOf({
    fault: "markupSkipped",
    detail: [...new Set(skipped)].join("; ").slice(0, 1_000),
    exchange: unanswered({ ...source, url: shownUrl(source.url) }),
    level: "warning",
  }, answering);

async function notifyOf(
  { detail, ...what }: {
    fault: FaultName;
    detail: string;
    exchange: ReturnType<typeof unanswered>;
    level?: "warning";
  },
  { message: { accountSid, sid, dateCreated }, ports }: Answering,
): Promise<void> {
  const cause = { at: dateCreated, id: sid };
  const notice = { accountSid, callSid: null, cause, level: "error", ...what } as const;
  await notify({ ...notice, detail: `${sid}: ${detail}` }, ports);
}
