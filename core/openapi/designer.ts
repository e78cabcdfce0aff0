import { z } from "zod";
import { designerLimits } from "../trials/dry_run_limits.ts";
import { dryRunParams } from "../trials/dry_run_parameters.ts";
import { inputKinds } from "../trials/dry_run_inputs.ts";
import { accountPath, jsonType, type Operation } from "./operation.ts";
import { closed, described, formSchema, type JsonSchema, refTo } from "./schemas.ts";

const text: JsonSchema = { type: "string" };
const texts: JsonSchema = { type: "object", additionalProperties: text };
const list = (items: JsonSchema): JsonSchema => ({ type: "array", items });
const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: "null" }] });

/** The operations of the designer of flows. */
export const designerOperations: Operation[] = [{
  method: "post",
  path: `${accountPath}/Applications/DryRuns`,
  id: "dryRunFlow",
  summary: "Steps through a flow with a simulated caller",
  description:
    "Performs a flow by the code that performs it on calls. Nothing is stored, sent or dialled. " +
    "The run stops where it needs an input that was not given, or after " +
    `${designerLimits.steps} steps.`,
  tag: "Application",
  types: [jsonType],
  form: refTo("DryRunWanted"),
  answer: refTo("DryRun"),
}];

function inputSchema(kind: z.ZodType): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(kind, { io: "input" });
  return schema;
}

/** The form of a dry run. */
export const designerForms: Record<string, JsonSchema> = {
  DryRunWanted: described(
    "Parameters of a dry run.",
    formSchema({ schema: dryRunParams }),
  ),
};

/** The schemas of a dry run. */
export const designerSchemas: Record<string, JsonSchema> = {
  DryRun: described(
    "The steps that a flow came through, and what it waits for or how it ended.",
    closed({
      steps: described("The steps in order.", list(refTo("DryRunStep"))),
      used: described("Number of inputs that were used.", { type: "integer", minimum: 0 }),
      awaits: described(
        "The input that the last step needs, null at the end.",
        orNull(closed({
          step: described("Name of the step.", text),
          inputs: described(
            "Types of the inputs that it takes.",
            list({ type: "string", enum: Object.keys(inputKinds) }),
          ),
          problem: described("Why the next input does not fit, null without one.", {
            type: ["string", "null"],
          }),
        })),
      ),
      end: described(
        "How the run ended, null before.",
        orNull(closed({
          reason: described(
            "hangup: the flow ends. caller: the caller hangs up. redirect: markup at a URL takes " +
              "over. failed: the flow fails. limit: the run has too many steps.",
            { type: "string", enum: ["hangup", "caller", "redirect", "failed", "limit"] },
          ),
          detail: described("The same in words.", text),
        })),
      ),
      variables: described("All variables at the end.", texts),
    }),
  ),
  DryRunStep: described(
    "A step that a dry run came through.",
    closed({
      step: described("Name of the step.", text),
      type: described("Kind of the step.", text),
      variables: described("All variables as it begins.", texts),
      verbs: described("The markup that it becomes.", list(refTo("DryRunVerb"))),
      request: described(
        "The request that it would send, null for none.",
        orNull(closed({
          method: described("HTTP method.", text),
          url: described("URL.", text),
          body: described("Body, null for none.", { type: ["string", "null"] }),
        })),
      ),
      input: described("The input that it took, null for none.", orNull(refTo("DryRunInput"))),
      result: described("Variables that it brought.", texts),
      notes: described("What was skipped or would fail.", list(text)),
    }),
  ),
  DryRunVerb: described(
    "A verb, with its variables replaced.",
    closed({
      verb: described("Name of the verb.", text),
      attributes: described("Attributes of the verb.", texts),
      text: described("Text of the verb.", text),
      verbs: described("Verbs and nouns inside it.", list(refTo("DryRunVerb"))),
    }),
  ),
  DryRunInput: {
    description: "What a simulated caller, callee or server does.",
    oneOf: Object.values(inputKinds).map(inputSchema),
  },
};
