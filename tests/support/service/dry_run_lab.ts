import assert from "node:assert/strict";
import type { DryRunInput } from "../../../core/trials/dry_run_inputs.ts";
import type { Trace } from "../../../core/trials/flow_trace.ts";
import type { App } from "./app.ts";

/** Further parameters of a dry run. */
export interface DryRunMore {
  Kind?: string;
  From?: string;
  To?: string;
  Body?: string;
}

/** The trace of a flow, by the interface. */
export async function tried(
  app: App,
  flow: unknown,
  inputs: DryRunInput[] = [],
  more: DryRunMore = {},
): Promise<Trace> {
  const response = await app.root.post("Applications/DryRuns.json", {
    Flow: JSON.stringify(flow),
    Inputs: JSON.stringify(inputs),
    ...more,
  });
  assert.equal(response.status, 200, response.text);
  return response.json();
}

/** The names of the steps of a trace, in order. */
export const way = ({ steps }: Trace): string[] => steps.map(({ step }) => step);

/** Spoken texts of the steps, in order, prompts included. */
export const said = ({ steps }: Trace): string[] =>
  steps.flatMap(({ verbs }) => verbs).flatMap(({ verb, text, verbs }) =>
    [{ verb, text }, ...verbs].filter((one) => one.verb === "Say").map((one) => one.text)
  );
