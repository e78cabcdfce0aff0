import { z } from "zod";
import { limits } from "../base/limits.ts";
import { assertFitsKind, readFlow } from "../model/flows/check_flow.ts";
import { flowText } from "../model/flows/field.ts";
import { inputsText, readInputs } from "./dry_run_inputs.ts";
import type { DryRunWanted } from "./run_flow.ts";

const end = z.string().min(1).max(255).optional();

/** Parameters of a dry run. */
export const dryRunParams = z.object({
  flow: flowText.describe("Flow to step through as a JSON text (schema Flow); it is not stored."),
  kind: z.enum(["voice", "sms", "ussd"]).optional().describe(
    "Kind of the Application that would hold it: voice (default), sms or ussd.",
  ),
  inputs: inputsText.optional().describe(
    "What the simulated caller, callees and servers do, in order: a JSON list of DryRunInput.",
  ),
  from: end.describe("Caller ID, or sender of the message; +12025550123 unless given."),
  to: end.describe("Number that is called or texted; +12025550145 unless given."),
  body: z.string().max(limits.messageLength).optional().describe(
    "Text of the message, of Kind sms.",
  ),
});

export type DryRunParams = z.infer<typeof dryRunParams>;

/** The dry run that parameters ask for. Throws `badParameter` for a step that the kind has not. */
export function dryRunOf(sent: DryRunParams): DryRunWanted {
  const { flow, kind = "voice", inputs = "[]", body = "" } = sent;
  assertFitsKind({ flow, kind });
  const { from = "+12025550123", to = "+12025550145" } = sent;
  return { flow: readFlow(flow), kind, from, to, body, inputs: readInputs(inputs) };
}
