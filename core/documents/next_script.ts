import type { Action } from "../protocol/action.ts";
import type { Script } from "../protocol/script.ts";
import { unanswered, withoutCredentials } from "../base/exchange.ts";
import { type FaultName, faults } from "../base/faults.ts";
import { limits } from "../base/limits.ts";
import { shownUrl } from "../model/flows/address.ts";
import { documentAt } from "./document_at.ts";
import { withAudioLinks } from "../recordings/script_links.ts";
import { compile, endsOf } from "./compile.ts";
import { DocumentFault } from "./fetch.ts";
import { keepRequest, requestSid } from "./keep_request.ts";
import { type Cause, notify } from "../webhooks/notify.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Call } from "../model/resources/calls.ts";
import type { Signable } from "../base/signature.ts";
import { compileUssd } from "./compile_ussd.ts";
import { callParameters } from "../calls/parameters.ts";
import { routeTo, type Unroutable } from "../calls/route.ts";

/** The call that requests a document. `signal` aborts when the companion waits for it no more. */
export interface ScriptContext {
  call: Call;
  ports: Ports;
  signal: AbortSignal;
  /** Additional parameters of the first request. */
  params?: Record<string, string>;
  /** Cause of the request: a failure makes one Notification, however often it is repeated. */
  cause?: Cause;
  /** The step if there is no document; default: a hang-up, or a refusal before the answer. */
  instead?: Script[number];
}

/**
 * Refuses a call that came in, with a Notification of the reason. A call that is not allowed gets 403,
 * and the reason in a Warning.
 */
export async function refuse(
  { fault, detail }: Unroutable,
  status: number,
  { call, ports, cause }: ScriptContext,
): Promise<Script> {
  const { accountSid, sid: callSid } = call;
  await notify({ accountSid, callSid, fault, detail, level: "error", cause }, ports);
  const { kind, message } = faults[fault];
  const text = `${message}: ${detail}`.slice(0, 500);
  if (kind !== "denied") {
    return [{ type: "reject", status, cause: "unreachable", ...warningFor(call, fault, detail) }];
  }
  return [{ type: "reject", status: 403, text, cause: "not-allowed" }];
}

/**
 * The Warning of a refusal for a Client, with the code whose page says more. A caller from elsewhere gets
 * none: it would reveal the account.
 */
const warningFor = ({ from }: Pick<Call, "from">, fault: FaultName, detail?: string) => {
  const { code, message } = faults[fault];
  const words = detail === undefined ? message : `${message}: ${detail}`;
  return from.startsWith("client:") ? { text: `${code}: ${words}`.slice(0, 500) } : {};
};

/** The script of a call's first document: its Url, and its FallbackUrl when that fails. */
export async function firstScript(context: ScriptContext): Promise<Script> {
  const { call: { url, method, fallbackUrl, fallbackMethod }, params: given = {} } = context;
  if (url === null) return [{ type: "hangup", cause: "script-end" }];
  try {
    return await scriptAt({ url, method, params: given }, 0, context);
  } catch (error) {
    if (!(error instanceof DocumentFault)) throw error;
    await notifyFailure(error, context);
    if (fallbackUrl === null) return [refusal(context, error)];
    const params = {
      ...given,
      ErrorCode: String(error.code),
      ErrorUrl: withoutCredentials(error.exchange.url),
    };
    const fallback = { url: fallbackUrl, method: fallbackMethod, params };
    return await scriptAt(fallback, 0, context).catch((failure) => giveUp(failure, context));
  }
}

/** The first script of a call that is answered now: after the keys that it sends. */
export async function openingScript(context: ScriptContext): Promise<Script> {
  const { sendDigits: digits, monitoring } = context.call;
  if (monitoring) {
    const { callSid: leg, conferenceSid } = monitoring;
    return [{ type: "monitor", ...leg && { leg }, ...conferenceSid && { conferenceSid } }];
  }
  const script = await firstScript(context);
  return digits ? [{ type: "digits", digits, loop: 1 }, ...script] : script;
}

/**
 * The script of the document at an action, requested with what the step before it brought, and the
 * digits of those before that had no action.
 */
export async function actionScript(
  { url, method, hops, digits, params: known }: Action,
  brought: Record<string, string>,
  context: ScriptContext,
): Promise<Script> {
  if (hops > limits.documentHops) {
    await notifyLoop(url, method, context);
    return [refusal(context)];
  }
  const params = { ...digits && { Digits: digits }, ...known, ...brought };
  return await scriptAt({ url, method, params }, hops, context)
    .catch((failure) => giveUp(failure, context));
}

/** Steps that a wait document may have: audible ones, and those that end it. */
const ofWaiting: Script[number]["type"][] = [
  "play",
  "say",
  "digits",
  "silence",
  "gather",
  "next",
  "leave",
  "hangup",
];

/** The wait document, without steps that are not allowed in it; empty when it cannot be had. */
export async function waitScript(
  { url, method, digits, params: known }: Action,
  brought: Record<string, string>,
  context: ScriptContext,
): Promise<Script> {
  const source = { url, method, params: { ...digits && { Digits: digits }, ...known, ...brought } };
  try {
    const script = await scriptAt(source, 0, context, []);
    const others = script.filter(({ type }) => !ofWaiting.includes(type));
    if (others.length === 0) return script;
    const skipped = others.map(({ type }) => `"${type}" in a wait document`);
    await notifySkipped(skipped, source, context);
    return script.filter((step) => !others.includes(step));
  } catch (failure) {
    if (!(failure instanceof DocumentFault)) throw failure;
    await notifyFailure(failure, context);
    return [];
  }
}

async function giveUp(failure: unknown, context: ScriptContext): Promise<Script> {
  if (!(failure instanceof DocumentFault)) throw failure;
  await notifyFailure(failure, context);
  return [refusal(context, failure)];
}

/** A caller who was not answered yet gets SIP 404 or 500; an answered call is hung up. */
function refusal(
  { call, instead }: ScriptContext,
  { status, fault }: { status?: number | undefined; fault?: FaultName } = {},
): Script[number] {
  if (instead !== undefined) return instead;
  const cause = "document-failed";
  return call.direction === "inbound" && call.status !== "in-progress"
    ? {
      type: "reject",
      status: status === 404 ? 404 : 500,
      cause,
      ...fault && warningFor(call, fault),
    }
    : { type: "hangup", cause };
}

/** `ending` is what comes after the last verb, where that is not a hang-up. */
async function scriptAt(
  source: Signable,
  hops: number,
  context: ScriptContext,
  ending?: Script,
): Promise<Script> {
  const { call, ports, signal, cause } = context;
  const account = await ports.accounts.get(call.accountSid);
  if (account === null) return [{ type: "hangup", cause: "not-allowed" }];
  const known = callParameters(call, ports.settings);
  const request = { ...source, params: { ...known, ...source.params } };
  const sid = requestSid(request, cause, ports);
  const made = { sid, call, request, startTime: ports.now() };
  const { accountSid, from, to, sid: callSid } = call;
  const subject = { accountSid, from, to, callSid };
  const document = await documentAt(
    source,
    { account, callSid, known, signal, cause, subject, deliverySid: sid },
    ports,
  ).catch((failure) => {
    if (failure instanceof DocumentFault) {
      const { exchange, status, message: error } = failure;
      void keepRequest(made, { exchange, status, error }, ports);
    }
    throw failure;
  });
  const unroutable: Unroutable[] = [];
  const { script, skipped } = call.isUssd
    ? await compileUssd(document.verbs, {
      documentUrl: document.url,
      hops: hops + 1,
      ends: endsOf(call),
    })
    : await compile(document.verbs, {
      call,
      documentUrl: document.url,
      route: (address, caller) => routeTo(address, { account, call, ...caller }, ports),
      unroutable: (reason) => unroutable.push(reason),
      hops: hops + 1,
      newSid: ports.newSid,
      ...ending && { ending },
    });
  void keepRequest(made, { ...document, skipped }, ports);
  await Promise.all([
    skipped.length > 0 && notifySkipped(skipped, request, context),
    notifyUnroutable(unroutable, request, context),
  ]);
  return await withAudioLinks(script, accountSid, ports);
}

function notifyFailure(
  failure: DocumentFault,
  { call, ports, cause }: ScriptContext,
): Promise<void> {
  const { accountSid, sid: callSid } = call;
  const { fault, detail = "", exchange } = failure;
  return notify({ accountSid, callSid, fault, detail, level: "error", exchange, cause }, ports);
}

function notifySkipped(
  skipped: string[],
  of: Signable,
  { call, ports, cause }: ScriptContext,
): Promise<void> {
  const { accountSid, sid: callSid } = call;
  const detail = [...new Set(skipped)].join("; ").slice(0, 1_000);
  const exchange = unanswered({ ...of, url: shownUrl(of.url) });
  const subject = { accountSid, callSid, fault: "markupSkipped", cause } as const;
  return notify({ ...subject, detail, level: "warning", exchange }, ports);
}

/** One Notification of each reason, for all callees of a document; routes have no order. */
async function notifyUnroutable(
  unroutable: Unroutable[],
  of: Signable,
  { call: { accountSid, sid: callSid }, ports, cause }: ScriptContext,
): Promise<void> {
  const exchange = unanswered({ ...of, url: shownUrl(of.url) });
  for (const [fault, reasons = []] of Map.groupBy(unroutable, ({ fault }) => fault)) {
    const detail = [...new Set(reasons.map(({ detail }) => detail))].sort().join("; ");
    await notify({ accountSid, callSid, fault, detail, level: "error", exchange, cause }, ports);
  }
}

function notifyLoop(
  url: string,
  method: string,
  { call, ports, cause }: ScriptContext,
): Promise<void> {
  const { accountSid, sid: callSid } = call;
  const detail =
    `${limits.documentHops} documents in a row redirected without a verb that takes time`;
  const exchange = unanswered({ url: shownUrl(url), method, params: {} });
  const notice = { accountSid, callSid, detail, exchange, cause } as const;
  return notify({ ...notice, fault: "documentLoop", level: "error" }, ports);
}
