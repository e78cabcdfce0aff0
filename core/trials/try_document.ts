import { z } from "zod";
import { callParameters } from "../calls/parameters.ts";
import { ownManner } from "../calls/own_manner.ts";
import { routeTo, type Unroutable } from "../calls/route.ts";
import type { Exchange } from "../base/exchange.ts";
import { withoutCredentials } from "../base/exchange.ts";
import { Fault, type FaultName, faults } from "../base/faults.ts";
import { method, phoneText, reference, url } from "../base/fields.ts";
import { limits } from "../base/limits.ts";
import type { Signable } from "../base/signature.ts";
import { applicationUrl, shownUrl } from "../model/flows/address.ts";
import { smsParameters } from "../messages/sms_markup.ts";
import { newBase, withDefaults } from "../model/resource.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Parameters } from "../model/rest/parameters.ts";
import type { Account } from "../model/resources/accounts.ts";
import { type Call, calls } from "../model/resources/calls.ts";
import { type Message, messages } from "../model/resources/messages.ts";
import { type DocumentTest, documentTests } from "../model/resources/views/document_tests.ts";
import { compile, endsOf } from "../documents/compile.ts";
import { compileAnswer } from "../documents/compile_answer.ts";
import { compileUssd } from "../documents/compile_ussd.ts";
import { describeScript } from "./describe_script.ts";
import { documentAt } from "../documents/document_at.ts";
import { type Document, DocumentFault } from "../documents/fetch.ts";

const party = phoneText().trim().min(1).max(255);

const wanted = z.object({
  url: url.optional().describe("URL of the markup; required unless ApplicationSid is sent."),
  method: method.optional().describe("HTTP method of the request: GET or POST (default)."),
  applicationSid: reference("AP").optional().describe(
    "Sid of the Application whose flow or RcmlUrl is tried; Url, Method and Kind are then ignored.",
  ),
  kind: documentTests.fields.kind.optional().describe(
    "What the markup is requested for: voice (default), sms or ussd.",
  ),
  from: party.optional().describe("Caller or sender of the sample; +15550100 unless sent."),
  to: party.optional().describe(
    "Number or Client that is called or texted; +15550101 unless sent.",
  ),
  body: z.string().min(1).max(limits.messageLength).optional().describe(
    "Text of the sample message.",
  ),
  digits: z.string().regex(/^[0-9A-D*#]+$/).max(100).optional().describe(
    "Keys that the caller has typed, as the action of a Gather gets them.",
  ),
});

export const documentTestParameters: Parameters = { schema: wanted, faults: { url: "badUrl" } };

export type DocumentTestWanted = z.infer<typeof wanted>;

type Kind = DocumentTest["kind"];

/** Result of a test. */
interface Found {
  document?: Document;
  exchange?: Exchange | undefined;
  status?: number | undefined;
  steps: string[];
  problems: Problem[];
}

interface Problem {
  fault: FaultName;
  text: string;
}

/** The sample: a call or message that is not stored, and the parameters of its request. */
interface Sample {
  account: Account;
  kind: Kind;
  source: Signable;
  call: Call;
  known: Record<string, string>;
  signal: AbortSignal;
}

/**
 * Requests markup as a call or message would, signed and within the same limits, and says what it would
 * do. Nothing is performed or stored; only a flow's external services receive real requests. Throws
 * `badUrl` without a Url and an application that has markup.
 */
export async function tryDocument(
  sent: DocumentTestWanted,
  { account, signal }: { account: Account; signal: AbortSignal },
  ports: Ports,
): Promise<DocumentTest> {
  const sample = await sampleOf(sent, { account, signal }, ports);
  const startedAt = ports.now();
  const found = await findOut(sample, ports);
  return recordOf(sample, { ...found, startedAt }, ports);
}

async function sampleOf(
  { digits, body = "Hello", ...sent }: DocumentTestWanted,
  { account, signal }: { account: Account; signal: AbortSignal },
  ports: Ports,
): Promise<Sample> {
  const { kind, ...address } = await sourceOf(sent, account, ports);
  const ends = { from: sent.from ?? "+15550100", to: sent.to ?? "+15550101" };
  const made = { direction: "inbound", isUssd: kind === "ussd", ...ends };
  const call = {
    ...newBase(calls, account.sid, ports),
    ...withDefaults(calls, { ...made, status: "ringing", startTime: ports.now() }),
  } as Call; // All that calls declare is a default or given.
  const message = {
    ...newBase(messages, account.sid, ports),
    ...withDefaults(messages, { ...made, body, status: "received" }),
  } as Message; // As above.
  const known = kind === "sms" ? smsParameters(message) : callParameters(call, ports.settings);
  const params = digits ? { Digits: digits } : {};
  return { account, kind, call, known, signal, source: { ...address, params } };
}

/** Address of the markup, and the kind of document. */
async function sourceOf(
  sent: DocumentTestWanted,
  account: Account,
  { records, settings }: Ports,
): Promise<{ url: string; method: "GET" | "POST"; kind: Kind }> {
  if (sent.applicationSid === undefined) {
    if (sent.url === undefined) throw new Fault("badUrl", "Url or ApplicationSid is required");
    return { url: sent.url, method: sent.method ?? "POST", kind: sent.kind ?? "voice" };
  }
  const application = await records.applications.get(account.sid, sent.applicationSid);
  const url = applicationUrl(application, settings);
  if (application === null || url === null) {
    const rule = "ApplicationSid must name an application that has a Flow or an RcmlUrl";
    throw new Fault("badParameter", rule);
  }
  return { url, method: ownManner(application).method, kind: application.kind };
}

async function findOut(sample: Sample, ports: Ports): Promise<Found> {
  const { account, kind, call, known, signal, source } = sample;
  const noted: Problem[] = [];
  const callSid = kind === "sms" ? null : call.sid;
  try {
    const quiet = withoutNotifications(ports, noted);
    const document = await documentAt(source, { account, callSid, known, signal }, quiet);
    const { steps, problems } = await wouldDo(document, sample, ports);
    const { exchange, status } = document;
    return { document, exchange, status, steps, problems: [...noted, ...problems] };
  } catch (error) {
    if (!(error instanceof DocumentFault)) throw error;
    const { fault, message: text, exchange, status } = error;
    return { exchange, status, steps: [], problems: [...noted, { fault, text }] };
  }
}

/** A flow notes what it skips in a Notification: that of a test is a part of its result. */
function withoutNotifications(ports: Ports, noted: Problem[]): Ports {
  const names = new Map(Object.entries(faults).map(([name, { code }]) => [code as number, name]));
  const notifications: Ports["records"]["notifications"] = {
    ...ports.records.notifications,
    insert({ record }) {
      const fault = names.get(record.errorCode) as FaultName; // Made from one, by notification().
      noted.push({ fault, text: record.messageText });
      return Promise.resolve(record);
    },
  };
  return { ...ports, records: { ...ports.records, notifications } };
}

/** Result of a document, by the code that calls and messages use. */
async function wouldDo(
  document: Document,
  { account, kind, call }: Sample,
  ports: Ports,
): Promise<Pick<Found, "steps" | "problems">> {
  const context = { documentUrl: document.url, hops: 1, ends: endsOf(call) };
  if (kind === "sms") {
    const { steps, skipped } = await compileAnswer(document.verbs, context);
    return { steps: describeScript(steps), problems: skipped.map(skippedProblem) };
  }
  const unroutable: Unroutable[] = [];
  const { script, skipped } = kind === "ussd"
    ? await compileUssd(document.verbs, context)
    : await compile(document.verbs, {
      ...context,
      call,
      route: (address, caller) => routeTo(address, { account, call, ...caller }, ports),
      unroutable: (reason) => unroutable.push(reason),
      newSid: ports.newSid,
    });
  const lost = unroutable.map(({ fault, detail }) => ({
    fault,
    text: `${faults[fault].message}: ${detail}`,
  }));
  return { steps: describeScript(script), problems: [...skipped.map(skippedProblem), ...lost] };
}

const skippedProblem = (what: string): Problem => ({
  fault: "markupSkipped",
  text: `Skipped: ${what}`,
});

function recordOf(
  { kind, source, known, call: { accountSid } }: Sample,
  { document, exchange, status, steps, problems, startedAt }: Found & { startedAt: number },
  ports: Ports,
): DocumentTest {
  const { baseUrl } = ports.settings;
  const base = newBase(documentTests, accountSid, ports);
  const cut = (text: string | undefined) => text?.slice(0, limits.noticeLength) || null;
  return {
    ...base,
    kind,
    url: withoutCredentials(shownUrl(source.url)).slice(0, limits.urlLength),
    method: source.method,
    requestVariables: { ...known, ...source.params },
    startTime: startedAt,
    duration: Math.max(0, Math.round(base.dateCreated - startedAt)),
    status: status ?? null,
    responseHeaders: cut(exchange?.responseHeaders),
    responseBody: cut(exchange?.responseBody),
    verbs: document?.verbs.map(({ name }) => name).join(", ") ?? "",
    steps: steps.map((text) => ({ text })),
    problems: problems.slice(0, limits.documentProblems).map(({ fault, text }) => ({
      errorCode: faults[fault].code,
      moreInfo: `${baseUrl}/errors/${faults[fault].code}`,
      text: text.slice(0, limits.deliveryErrorLength),
    })),
  };
}
