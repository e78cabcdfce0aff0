import { faults } from "../base/faults.ts";
import { callParameters } from "../calls/parameters.ts";
import { routeTo } from "../calls/route.ts";
import { compile, endsOf } from "../documents/compile.ts";
import { compileAnswer } from "../documents/compile_answer.ts";
import { compileUssd } from "../documents/compile_ussd.ts";
import { DocumentFault } from "../documents/fetch.ts";
import { walkFlow } from "../documents/flow_walk.ts";
import { flowUrl, isFlow, readFlowUrl } from "../model/flows/address.ts";
import type { Element } from "../markup/parse.ts";
import { smsParameters } from "../messages/sms_markup.ts";
import { newBase, withDefaults } from "../model/resource.ts";
import type { Ports } from "../model/ports/ports.ts";
import { unattendedVerbs } from "../reports/go_on.ts";
import type { Account } from "../model/resources/accounts.ts";
import { applications } from "../model/resources/applications.ts";
import { type Call, calls } from "../model/resources/calls.ts";
import { type Message, messages } from "../model/resources/messages.ts";
import { beginStep, type DryRunWanted, note, type Run } from "./run_flow.ts";
import { type Next, nextOf, perform, simulateScript } from "./simulated_call.ts";
import { enqueueOrder } from "./simulated_queue.ts";
import { simulatedService } from "./simulated_service.ts";
import { ended, RunOver, shownVerbs, type Trace } from "./flow_trace.ts";

/**
 * Steps through a flow with a simulated caller. Steps, markup, results and routes are those of calls: the
 * same code makes them. Nothing is stored, sent or dialled; the store is read, for instance to find
 * the callee of a Dial. The run stops where it needs an input that was not given.
 */
export async function dryRun(
  wanted: DryRunWanted,
  account: Account,
  ports: Ports,
): Promise<Trace> {
  const applicationSid = ports.newSid(applications.sidPrefix);
  const run: Run = {
    ...wanted,
    account,
    ports,
    applicationSid,
    steps: [],
    used: 0,
    variables: {},
    call: callOf(wanted, account, ports),
    hasHungUp: false,
  };
  const url = flowUrl({ applicationSid, step: null, phase: "begin", variables: {} });
  try {
    let next: Next = { source: { url, method: "POST", params: {} }, hops: 0 };
    for (;;) next = await document(next, run);
  } catch (error) {
    return { ...traceOf(run), ...outcomeOf(error) };
  }
}

const traceOf = ({ steps, used, variables }: Run): Pick<Trace, "steps" | "used" | "variables"> => ({
  steps,
  used,
  variables,
});

function outcomeOf(error: unknown): Pick<Trace, "awaits" | "end"> {
  if (error instanceof RunOver) return { awaits: null, end: null, ...error.outcome };
  if (error instanceof DocumentFault) {
    return { awaits: null, end: { reason: "failed", detail: error.message } };
  }
  throw error;
}

/** The call that a dry run simulates: one that came in and is not answered yet. */
function callOf({ from, to, kind }: DryRunWanted, account: Account, ports: Ports): Call {
  const known = { from, to, direction: "inbound", status: "ringing", isUssd: kind === "ussd" };
  // Its defaults fill the other fields, as those of a call that comes in.
  return { ...newBase(calls, account.sid, ports), ...withDefaults(calls, known) } as Call;
}

function messageOf({ from, to, body, account, ports }: Run): Message {
  const known = { from, to, body, direction: "inbound", status: "received" };
  return { ...newBase(messages, account.sid, ports), ...withDefaults(messages, known) } as Message;
}

/** A verb of a document, and the step of the trace that it belongs to. */
type Owned = Map<Element, number>;

/** Performs one document of the flow, up to the next one. */
async function document({ source, hops }: Next, run: Run): Promise<Next> {
  const owned: Owned = new Map();
  const { verbs, skipped, variables } = await walkFlow({
    flow: run.flow,
    place: readFlowUrl(source.url),
    params: source.params,
    known: run.kind === "sms"
      ? smsParameters(messageOf(run))
      : callParameters(run.call, run.ports.settings),
    isCall: run.kind !== "sms",
    at: run.ports.now(),
  }, {
    ask: (step, known) => simulatedService(step, known, run),
    warn: (detail) => Promise.resolve(note(run, detail)),
    begins: (step, { type }, variables) => beginStep(run, { step, type, variables }),
    becomes(_, made) {
      const at = run.steps.length - 1;
      for (const verb of made) owned.set(verb, at);
      run.steps[at]?.verbs.push(...shownVerbs(made));
    },
  });
  Object.assign(run.variables, variables);
  for (const what of skipped) note(run, what, /^step "(\w+)"/.exec(what)?.[1]);
  const next = { documentUrl: source.url, hops: hops + 1, ends: endsOf(run.call) };
  if (run.kind === "sms" || run.hasHungUp) {
    const left = run.hasHungUp ? unattendedVerbs(verbs) : verbs;
    dropUnreached(verbs.slice(left.length), owned, run);
    return await unattended(left, next, run);
  }
  const endless = verbs.findIndex(({ attributes: { loop } }) => loop === "0");
  if (endless >= 0) dropUnreached(verbs.slice(endless + 1), owned, run);
  let unrouted = 0;
  const { script, skipped: refused } = run.call.isUssd
    ? await compileUssd(verbs, next)
    : await compile(verbs, {
      ...next,
      call: run.call,
      route: (address, caller) =>
        routeTo(address, { account: run.account, call: run.call, ...caller }, run.ports),
      unroutable({ fault, detail }) {
        unrouted++;
        note(run, `${faults[fault].message}: ${detail}`);
      },
      newSid: run.ports.newSid,
    });
  for (const what of refused) note(run, what);
  for (const step of script) if (step.type === "consult") await showWait(step.serviceContext, run);
  return await simulateScript(script, unrouted, run);
}

/** Adds what the first caller of a queue hears, where the flow says it, to the last step of the trace. */
async function showWait(serviceContext: unknown, run: Run): Promise<void> {
  const url = enqueueOrder(serviceContext)?.wait?.url;
  const step = run.steps.at(-1);
  if (url === undefined || !isFlow(url) || step === undefined) return;
  const { verbs, skipped } = await walkFlow({
    flow: run.flow,
    place: readFlowUrl(url),
    params: { QueuePosition: "1", QueueTime: "0", CurrentQueueSize: "1" },
    known: callParameters(run.call, run.ports.settings),
    isCall: true,
    at: run.ports.now(),
  }, {
    ask: () => Promise.reject(new Error("A wait document requests nothing")),
    warn: (detail) => Promise.resolve(note(run, detail)),
  });
  step.verbs.push(...shownVerbs(verbs));
  for (const what of skipped) note(run, what);
}

/** Forgets the steps from the first on whose verbs the call does not come to. */
function dropUnreached(verbs: readonly Element[], owned: Owned, run: Run): void {
  const first = Math.min(...verbs.map((verb) => owned.get(verb) ?? Infinity));
  if (first < run.steps.length) run.steps.length = first;
}

/** Performs the reply to a message, or the rest of a flow after the caller hung up. */
async function unattended(
  verbs: readonly Element[],
  next: { documentUrl: string; hops: number; ends: ReturnType<typeof endsOf> },
  run: Run,
): Promise<Next> {
  const { steps, skipped } = await compileAnswer(verbs, next);
  for (const what of skipped) note(run, what);
  for (const step of steps) {
    const came = step.type === "next"
      ? { action: step.action, params: {} }
      : await perform(step, run);
    if (came?.action !== undefined) return nextOf({ ...came, tookTime: false }, run);
  }
  throw run.hasHungUp
    ? ended("caller", "The caller hung up; what is left needs a caller")
    : ended("hangup", "The flow ends");
}
