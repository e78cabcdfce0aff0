import { type Exchange, unanswered } from "../base/exchange.ts";
import type { FaultName } from "../base/faults.ts";
import { limits } from "../base/limits.ts";
import { DocumentFault } from "./fetch.ts";
import type { Element } from "../markup/parse.ts";
import { type FlowPlace, flowUrl, shownUrl } from "../model/flows/address.ts";
import { branchFor, holds } from "../model/flows/decide.ts";
import { expand, type Variables } from "../model/flows/expand.ts";
import { localTime } from "../model/flows/local_time.ts";
import type { Served } from "./external_service.ts";
import { elementsOf, type FlowState, goTo, waitElements } from "./step_elements.ts";
import type { Flow, FlowStep, StepOf } from "../model/flows/steps.ts";

/** A flow, and the place in it that a walk begins at. */
export interface WalkFrom {
  flow: Flow;
  place: FlowPlace;
  /** The result of the step at the place. */
  params: Variables;
  /** Parameters of the call or message that every request for markup carries. */
  known: Variables;
  /** True for a call: a message cannot be hung up. */
  isCall: boolean;
  /** The time that its conditions see, in ms. */
  at: number;
}

/** Effects of a walk outside of the flow. */
export interface Surroundings {
  /** Requests an external service. */
  ask(step: StepOf<"externalService">, known: Variables): Promise<Served>;
  /** Notifies of a failed request that a step of the flow handles. */
  warn(detail: string, exchange: Exchange): Promise<void>;
  /** Called as each step begins, with all its variables. */
  begins?(name: string, step: FlowStep, known: Variables): void;
  /** Called with the verbs of a step. */
  becomes?(name: string, verbs: readonly Element[]): void;
}

/** Result of a walk. */
export interface Walked {
  verbs: Element[];
  /** Parts that could not be performed, each with its step. */
  skipped: string[];
  /** Values from results, `set` and external services. */
  variables: Variables;
}

/** A walk under way. */
interface Run extends WalkFrom {
  /** The time in the zone of the flow. */
  time: Variables;
  surroundings: Surroundings;
  /** Values from results, `set` and external services: passed from document to document. */
  variables: Record<string, string>;
  verbs: Element[];
  skipped: string[];
  requests: number;
}

/** Names of results by the type of step. A step with new results removes those of an earlier step. */
const results: Partial<Record<FlowStep["type"], RegExp>> = {
  gather: /^(Digits|SpeechResult|Confidence)$/,
  ussdCollect: /^Digits$/,
  record: /^(Recording(Url|Sid|Duration)|Digits)$/,
  dial: /^(Dial\w.*|OutboundCallSid|Recording(Url|Sid|Duration))$/,
  enqueue: /^Queue(Result|Time|Sid)$/,
  sms: /^Sms(Sid|Status)$/,
};

/**
 * Walks through a flow from a place on, up to a step with a result that the flow needs. Calls,
 * messages and the dry run go this one way. Throws a DocumentFault.
 */
export async function walkFlow(from: WalkFrom, surroundings: Surroundings): Promise<Walked> {
  const { flow, place, params } = from;
  const brought = place.step === null ? undefined : results[flow.steps[place.step]?.type ?? "say"];
  const kept = Object.entries(place.variables).filter(([name]) =>
    place.phase === "begin" || place.phase === "wait" || brought === undefined ||
    !brought.test(name)
  );
  const variables = { ...Object.fromEntries(kept), ...params };
  const time = flow.timeZone === undefined ? {} : localTime(flow.timeZone, from.at);
  const run: Run = { ...from, surroundings, time, variables, verbs: [], skipped: [], requests: 0 };
  if (place.phase === "wait") hearInQueue(run);
  else await walk(run, entryOf(run));
  return run;
}

/** The document that a caller hears in the queue of the step at the place. */
function hearInQueue(run: Run): void {
  const { flow, params, place: { step: name } } = run;
  const step = name === null ? undefined : flow.steps[name];
  // Without its step there is nothing to hear, and the built-in music follows.
  if (name === null || step?.type !== "enqueue") return;
  run.verbs.push(...waitElements(step, params, stateOf(run, name)));
}

/** The fault of a flow that cannot go on at a place. */
export const broken = (place: FlowPlace, fault: FaultName, detail: string): DocumentFault =>
  new DocumentFault(
    fault,
    detail,
    unanswered({ url: shownUrl(flowUrl(place)), method: "", params: {} }),
  );

/** The step to begin with: where the last one leads, when it has just been performed. */
function entryOf({ flow, place, params, variables }: Run): string | undefined {
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
    case "enqueue":
      return leftQueue(step, params) ?? step.next;
    case "dial":
      return variables.DialCallStatus === "completed" ? step.next : step.onFailure ?? step.next;
    default:
      return "next" in step ? step.next : undefined;
  }
}

/** The step for a caller who left a queue without an agent. */
function leftQueue(
  { onLeave, onFull, onError }: StepOf<"enqueue">,
  { QueueResult }: Variables,
): string | undefined {
  if (QueueResult === "leave" || QueueResult === "hangup") return onLeave;
  return QueueResult === "queue-full" ? onFull : QueueResult === "error" ? onError : undefined;
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
    if (step.type === "hangup" && !run.isCall) return; // A message has no call.
    run.surroundings.begins?.(at, step, knownTo(run));
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

/** Steps without a result: the flow always continues with `next`. */
const passed = new Set<FlowStep["type"]>(["say", "play", "email", "ussdMessage"]);

/** True while a USSD text waits for the question or the end with which it is shown. */
const isPending = ({ verbs }: Run): boolean => verbs.some(({ name }) => name === "UssdMessage");

/** True when the caller hears or reads a verb of this run before the next step. */
const isShowing = (run: Run): boolean => run.verbs.length > 0 && !isPending(run);

/** All variables of a step. */
const knownTo = ({ flow, time, known, variables }: Run): Variables => ({
  ...time,
  ...flow.variables,
  ...known,
  ...variables,
});

const standing = (run: Run) => ({
  applicationSid: run.place.applicationSid,
  variables: handedOn(run),
});

/** Variables for the next document. Throws where they are too long. */
function handedOn({ variables, place }: Run): Variables {
  const length = JSON.stringify(variables).length;
  if (length <= limits.flowVariablesLength) return variables;
  const most = limits.flowVariablesLength;
  throw broken(place, "flowFailed", `its variables are over ${most} characters together`);
}

const stateOf = (run: Run, name: string): FlowState => ({
  ...standing(run),
  name,
  known: knownTo(run),
  isPending: isPending(run),
  skip: (what) => void run.skipped.push(what),
});

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
  const verbs = elementsOf(step, stateOf(run, name));
  run.verbs.push(...verbs);
  run.surroundings.becomes?.(name, verbs);
}

/** Requests an external service. On failure the step's own handler is next, or the flow ends. */
async function ask(
  step: StepOf<"externalService">,
  name: string,
  run: Run,
): Promise<string | undefined> {
  run.requests++;
  const served = await run.surroundings.ask(step, knownTo(run));
  Object.assign(run.variables, served.variables);
  if (served.problem === null) return step.next;
  const detail = `step "${name}": ${served.problem}`;
  const { exchange } = served;
  if (step.onRemoteError === undefined) throw new DocumentFault("serviceFailed", detail, exchange);
  await run.surroundings.warn(detail, exchange);
  return step.onRemoteError;
}
