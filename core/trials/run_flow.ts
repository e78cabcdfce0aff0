import type { Ports } from "../model/ports/ports.ts";
import type { Flow } from "../model/flows/steps.ts";
import type { Account } from "../model/resources/accounts.ts";
import type { Call } from "../model/resources/calls.ts";
import type { DryRunInput, InputOf, InputType } from "./dry_run_inputs.ts";
import { ended, RunOver, type TraceStep } from "./flow_trace.ts";
import { designerLimits } from "./dry_run_limits.ts";

/** A request for a dry run. */
export interface DryRunWanted {
  flow: Flow;
  kind: "voice" | "sms" | "ussd";
  from: string;
  to: string;
  /** Text of a message. */
  body: string;
  inputs: readonly DryRunInput[];
}

/** A dry run in progress. Nothing of it is stored or sent. */
export interface Run extends DryRunWanted {
  account: Account;
  ports: Ports;
  applicationSid: string;
  steps: TraceStep[];
  used: number;
  /** All variables. */
  variables: Record<string, string>;
  /** The simulated call, of Kind voice and ussd. */
  call: Call;
  /** The caller hung up: steps that need a caller are not performed any more. */
  hasHungUp: boolean;
}

/** Begins a step of the trace. */
export function beginStep(run: Run, begun: Pick<TraceStep, "step" | "type" | "variables">): void {
  if (run.steps.length >= designerLimits.steps) {
    throw ended("limit", `The dry run stops after ${designerLimits.steps} steps`);
  }
  run.variables = { ...begun.variables };
  run.steps.push({ ...begun, verbs: [], request: null, input: null, result: {}, notes: [] });
}

/** Notes something at a step; at the last one unless it is named. */
export function note(run: Run, what: string, step?: string): void {
  const at = run.steps.findLast((one) => step === undefined || one.step === step);
  if (at !== undefined && !at.notes.includes(what)) at.notes.push(what);
}

/** Takes the next input, of a kind that the last step takes. Throws RunOver without one. */
export function takeInput<T extends InputType>(run: Run, types: readonly T[]): InputOf<T> {
  const step = run.steps.at(-1);
  const input = run.inputs[run.used];
  const fits = input !== undefined && types.some((type) => type === input.type);
  if (step === undefined || !fits) {
    const name = step?.step ?? "";
    const problem = input === undefined
      ? null
      : `Input ${run.used + 1} is "${input.type}", and step "${name}" takes ${types.join(", ")}`;
    throw new RunOver({ awaits: { step: name, inputs: [...types], problem } });
  }
  run.used++;
  step.input = input;
  return input as InputOf<T>; // Its type is one of those asked for.
}

/** Adds the result of a step. */
export function addResult(run: Run, result: Record<string, string>): void {
  const step = run.steps.at(-1);
  if (step !== undefined) step.result = { ...step.result, ...result };
  Object.assign(run.variables, result);
}
