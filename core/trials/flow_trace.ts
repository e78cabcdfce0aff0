import type { Element } from "../markup/parse.ts";
import { isFlow } from "../model/flows/address.ts";
import type { Variables } from "../model/flows/expand.ts";
import type { DryRunInput, InputType } from "./dry_run_inputs.ts";

/** A verb that a step becomes, with its variables replaced. */
export interface ShownVerb {
  verb: string;
  attributes: Record<string, string>;
  text: string;
  verbs: ShownVerb[];
}

/** A request that a step sends to a server. */
export interface ShownRequest {
  method: string;
  url: string;
  body: string | null;
}

/** A step of a flow, as a dry run came through it. */
export interface TraceStep {
  step: string;
  type: string;
  /** All variables as it begins. */
  variables: Variables;
  verbs: ShownVerb[];
  request: ShownRequest | null;
  /** Input of the caller, a callee or a server. */
  input: DryRunInput | null;
  /** Result of the step. */
  result: Variables;
  /** Parts that were skipped or would fail, with the reason. */
  notes: string[];
}

/** Input that a dry run waits for. */
export interface Awaited {
  step: string;
  inputs: InputType[];
  /** Reason why the next input does not fit. */
  problem: string | null;
}

/** End of a dry run. */
export interface Ending {
  reason: "hangup" | "caller" | "redirect" | "failed" | "limit";
  detail: string;
}

/** A dry run: the steps so far, and the input that it waits for or its end. */
export interface Trace {
  steps: TraceStep[];
  /** The inputs that were used. */
  used: number;
  awaits: Awaited | null;
  end: Ending | null;
  /** All variables at the end. */
  variables: Variables;
}

/** Verbs as they are shown: without what leads back into the flow. */
export const shownVerbs = (verbs: readonly Element[]): ShownVerb[] =>
  verbs.filter(({ name, text }) => !(name === "Redirect" && isFlow(text))).map((verb) => ({
    verb: verb.name,
    attributes: Object.fromEntries(
      Object.entries(verb.attributes).filter(([, value]) => !isFlow(value)),
    ),
    text: verb.text,
    verbs: shownVerbs(verb.children),
  }));

/** Ends a dry run, from wherever it is. */
export class RunOver extends Error {
  override readonly name = "RunOver";
  constructor(readonly outcome: { awaits: Awaited } | { end: Ending }) {
    super("awaits" in outcome ? "An input is awaited" : outcome.end.detail);
  }
}

export const ended = (reason: Ending["reason"], detail: string): RunOver =>
  new RunOver({ end: { reason, detail } });
