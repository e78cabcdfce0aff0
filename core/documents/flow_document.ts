import { unanswered } from "../base/exchange.ts";
import type { FaultName } from "../base/faults.ts";
import { limits } from "../base/limits.ts";
import { type Document, DocumentFault } from "./fetch.ts";
import type { Element } from "../markup/parse.ts";
import { type Cause, notify } from "../notifications/notify.ts";
import type { Ports } from "../ports/ports.ts";
import type { Signable } from "../base/signature.ts";
import { type FlowPlace, flowUrl, readFlowUrl, shownUrl } from "../flows/address.ts";
import { readFlow } from "../flows/check_flow.ts";
import { branchFor, holds } from "../flows/decide.ts";
import type { Variables } from "../flows/expand.ts";
import { expand } from "../flows/expand.ts";
import { askService } from "./external_service.ts";
import { elementsOf, goTo } from "./step_elements.ts";
import type { Flow, FlowStep, StepOf } from "../flows/steps.ts";

/** The call or message that a flow runs for. */
export interface FlowContext {
  accountSid: string;
  callSid: string | null;
  /** Parameters of the call or message that every request for markup carries. */
  known: Variables;
  signal: AbortSignal;
  cause?: Cause | undefined;
}

/** A flow under way, at one request for its next document. */
interface Run {
  place: FlowPlace;
  flow: Flow;
  context: FlowContext;
  ports: Ports;
  /** Values from results, `set` and external services: passed from document to document. */
  variables: Record<string, string>;
  verbs: Element[];
  skipped: string[];
  requests: number;
}

/** What results of steps are called. A step that brings them anew forgets those of one before. */
const results: Partial<Record<FlowStep["type"], RegExp>> = {
  gather: /^(Digits|SpeechResult|Confidence)$/,
  ussdCollect: /^Digits$/,
  record: /^(Recording(Url|Sid|Duration)|Digits)$/,
  dial: /^(Dial\w.*|OutboundCallSid|Recording(Url|Sid|Duration))$/,
  sms: /^Sms(Sid|Status)$/,
};

/**
 * The next document of a flow: its steps from a place on, up to a step with a result that the flow
 * needs. `params` is the result of the step before. Throws a DocumentFault.
 */
export async function flowDocument(
  { url, params }: Signable,
  context: FlowContext,
  ports: Ports,
): Promise<Document> {
  const place = readFlowUrl(url);
  const flow = await flowOf(place, context, ports);
  const brought = place.step === null ? undefined : results[flow.steps[place.step]?.type ?? "say"];
  const kept = Object.entries(place.variables).filter(([name]) =>
    place.phase === "begin" || brought === undefined || !brought.test(name)
  );
  const variables = { ...Object.fromEntries(kept), ...params };
  const run: Run = {
    place,
    flow,
    context,
    ports,
    variables,
    verbs: [],
    skipped: [],
    requests: 0,
  };
  await walk(run, entryOf(run, params));
  const { applicationSid } = place;
  if (run.skipped.length > 0) {
    const detail = run.skipped.join("; ");
    await tell(run, { fault: "markupSkipped", detail, level: "warning" });
  }
  return {
    url: flowUrl({ applicationSid, step: null, phase: "begin", variables: {} }),
    verbs: run.verbs,
  };
}

async function flowOf(place: FlowPlace, context: FlowContext, ports: Ports): Promise<Flow> {
  const { applicationSid } = place;
  const application = await ports.records.applications.get(context.accountSid, applicationSid);
  if (application?.flow) return readFlow(application.flow);
  throw broken(place, "flowFailed", `the application ${applicationSid} has none any more`);
}

const broken = (place: FlowPlace, fault: FaultName, detail: string): DocumentFault =>
  new DocumentFault(
    fault,
    detail,
    unanswered({ url: shownUrl(flowUrl(place)), method: "", params: {} }),
  );

/** The step to begin with: where the last one leads, when it has just been performed. */
function entryOf({ flow, place, variables }: Run, params: Variables): string | undefined {
  if (place.step === null) return flow.start;
  if (place.phase === "begin") return place.step;
  const step = flow.steps[place.step];
  if (step === undefined) return place.step; // The caller then reports that the step does not exist.
  return place.phase === "empty" ? afterNothing(step) : afterResult(step, params, variables);
}

function afterNothing(step: FlowStep): string | undefined {
  if (step.type === "gather") return step.noInput ?? step.next;
  if (step.type === "record") return step.noRecording ?? step.next;
  return "next" in step ? step.next : undefined;
}

function afterResult(
  step: FlowStep,
  params: Variables,
  variables: Variables,
): string | undefined {
  switch (step.type) {
    case "gather":
    case "ussdCollect":
      return branchFor(step.branches ?? [], params) ?? step.next;
    case "dial":
      return variables.DialCallStatus === "completed" ? step.next : step.onFailure ?? step.next;
    default:
      return "next" in step ? step.next : undefined;
  }
}

/** Goes from step to step until one of them has to be performed before the flow can go on. */
async function walk(run: Run, start: string | undefined): Promise<void> {
  let at = start;
  for (let count = 0; at !== undefined; count++) {
    if (count === limits.flowStepsAtOnce) {
      throw broken(run.place, "documentLoop", `${count} steps of the flow in a row took no time`);
    }
    const step: FlowStep | undefined = Object.hasOwn(run.flow.steps, at)
      ? run.flow.steps[at]
      : undefined;
    if (step === undefined) {
      throw broken(run.place, "flowFailed", `it has no step "${at}" any more`);
    }
    const isLater = step.type === "externalService" &&
      (isShowing(run) || run.requests === limits.flowRequestsAtOnce);
    if (isLater || run.verbs.length >= limits.flowVerbs) return leave(run, at);
    if (step.type === "hangup" && run.context.callSid === null) return; // A message has no call.
    if (step.type === "control") at = decide(step, run);
    else if (step.type === "externalService") at = await ask(step, at, run);
    else {
      const isPassed = passed.has(step.type) || step.type === "sms" && isPending(run);
      perform(step, at, run);
      if (!isPassed) return;
      at = (step as { next?: string }).next;
    }
  }
}

/** Steps that bring nothing by which a flow could go on another way. */
const passed = new Set<FlowStep["type"]>(["say", "play", "email", "ussdMessage"]);

/** Whether a USSD text waits for a question or the end, with which it is shown. */
const isPending = ({ verbs }: Run): boolean => verbs.some(({ name }) => name === "UssdMessage");

/** Whether a caller hears or reads a verb of this run before the next step. */
const isShowing = (run: Run): boolean => run.verbs.length > 0 && !isPending(run);

/** What is known to a step. */
const knownTo = ({ flow, context, variables }: Run): Variables => ({
  ...flow.variables,
  ...context.known,
  ...variables,
});

const standing = (run: Run) => ({
  applicationSid: run.place.applicationSid,
  variables: handedOn(run),
});

/** What goes along to the next document. */
function handedOn({ variables, place }: Run): Variables {
  const length = JSON.stringify(variables).length;
  if (length <= limits.flowVariablesLength) return variables;
  const most = limits.flowVariablesLength;
  throw broken(place, "flowFailed", `its variables are over ${most} characters together`);
}

function leave(run: Run, at: string): void {
  run.verbs.push(goTo(standing(run), at));
}

function decide({ set = {}, conditions = [], next }: StepOf<"control">, run: Run) {
  for (const [name, value] of Object.entries(set)) {
    run.variables[name] = expand(value, knownTo(run)).slice(0, limits.flowVariableLength);
  }
  return conditions.find((condition) => holds(condition, knownTo(run)))?.next ?? next;
}

function perform(step: Parameters<typeof elementsOf>[0], name: string, run: Run): void {
  const skip = (what: string) => run.skipped.push(what);
  run.verbs.push(
    ...elementsOf(step, {
      ...standing(run),
      name,
      known: knownTo(run),
      isPending: isPending(run),
      skip,
    }),
  );
}

/** Requests an external service. On failure the step's own handler is next, or the flow ends. */
async function ask(
  step: StepOf<"externalService">,
  name: string,
  run: Run,
): Promise<string | undefined> {
  run.requests++;
  const { signal } = run.context;
  const served = await askService(step, knownTo(run), { signal, ports: run.ports });
  Object.assign(run.variables, served.variables);
  if (served.problem === null) return step.next;
  const detail = `step "${name}": ${served.problem}`;
  const { exchange } = served;
  if (step.onRemoteError === undefined) throw new DocumentFault("serviceFailed", detail, exchange);
  await tell(run, { fault: "serviceFailed", detail, exchange, level: "warning" });
  return step.onRemoteError;
}

async function tell(
  { context: { accountSid, callSid, cause }, place, ports }: Run,
  notice: {
    fault: FaultName;
    detail: string;
    level: "warning";
    exchange?: ReturnType<typeof unanswered>;
  },
): Promise<void> {
  const url = shownUrl(flowUrl(place));
  const exchange = unanswered({ url, method: "", params: {} });
  await notify({ accountSid, callSid, cause, exchange, ...notice }, ports);
}
