import { z } from "zod";
import { designerLimits } from "./dry_run_limits.ts";

const seconds = z.number().int().min(1).max(14_400);
const text = z.string().min(1).max(designerLimits.inputLength);
const hangup = z.boolean().optional();

/** Inputs of the simulated caller, callees and servers of a dry run, by `type`. */
export const inputKinds = {
  keys: z.strictObject({
    type: z.literal("keys").describe("The caller presses keys."),
    digits: z.string().regex(/^[0-9A-D*#]{1,1000}$/, "must be keys of a telephone").describe(
      "The keys.",
    ),
  }),
  speech: z.strictObject({
    type: z.literal("speech").describe("The caller says something."),
    text: text.describe("What speech recognition understands."),
    confidence: z.number().min(0).max(1).optional().describe(
      "Confidence of speech recognition, 0 to 1 (default).",
    ),
  }),
  nothing: z.strictObject({
    type: z.literal("nothing").describe("The caller does nothing until the step times out."),
  }),
  hangup: z.strictObject({ type: z.literal("hangup").describe("The caller hangs up.") }),
  recording: z.strictObject({
    type: z.literal("recording").describe("The caller leaves a message."),
    seconds: seconds.describe("Seconds that are recorded."),
    key: z.string().regex(/^[0-9A-D*#]$/, "must be a key of a telephone").optional().describe(
      "The key that ends it; without one, silence does.",
    ),
    hangup: hangup.describe("Whether the caller hangs up then."),
  }),
  call: z.strictObject({
    type: z.literal("call").describe("The call to the callees ends."),
    status: z.enum(["completed", "busy", "no-answer", "failed"]).describe(
      "How: completed is an answered call.",
    ),
    seconds: seconds.optional().describe("Seconds of an answered call; 60 unless given."),
    hangup: hangup.describe("Whether it is the caller who hangs up."),
  }),
  queue: z.strictObject({
    type: z.literal("queue").describe("The caller leaves the queue."),
    result: z.enum(["bridged", "leave", "queue-full", "error"]).describe(
      "How: bridged is a conversation with an agent; leave is the key or the longest wait.",
    ),
    seconds: seconds.optional().describe("Seconds in the queue; 30 unless given."),
    hangup: hangup.describe("Whether the caller hangs up then."),
  }),
  response: z.strictObject({
    type: z.literal("response").describe("The server of an external service responds."),
    status: z.number().int().min(200).max(599).describe("HTTP status."),
    body: z.string().max(designerLimits.inputLength).optional().describe("Body of the response."),
  }),
  noResponse: z.strictObject({
    type: z.literal("noResponse").describe("The server of an external service does not respond."),
  }),
  reply: z.strictObject({
    type: z.literal("reply").describe("The subscriber replies in a USSD dialogue."),
    text: text.describe("The reply."),
  }),
} as const;

export type InputType = keyof typeof inputKinds;
export type InputOf<T extends InputType> = z.infer<(typeof inputKinds)[T]>;
export type DryRunInput = { [T in InputType]: InputOf<T> }[InputType];

export const dryRunInput = z.discriminatedUnion(
  "type",
  // Object.values() forgets that there is one kind at least.
  Object.values(inputKinds) as unknown as [
    (typeof inputKinds)["keys"],
    ...(typeof inputKinds)[InputType][],
  ],
);

const inputList = z.array(dryRunInput).max(designerLimits.inputs);

/** The text of a list of inputs. */
export const inputsText = z.string().superRefine((text, context) => {
  const problem = problemOf(text);
  if (problem !== null) context.addIssue({ code: "custom", message: problem });
});

/** The inputs of a text that `inputsText` finds nothing wrong with. */
export const readInputs = (text: string): DryRunInput[] =>
  // The schema is a union of schemas in an array, whose types the compiler does not infer.
  inputList.parse(JSON.parse(text)) as DryRunInput[];

function problemOf(text: string): string | null {
  try {
    const { error } = inputList.safeParse(JSON.parse(text));
    const [issue] = error?.issues ?? [];
    if (issue === undefined) return null;
    const place = issue.path.map(String).join(".");
    return issue.code === "invalid_union" || issue.path.length === 0
      ? `${place === "" ? "" : `${place}: `}${ruleOf(issue)}`
      : `${place}: ${issue.message}`;
  } catch (error) {
    return `must be JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

const ruleOf = (issue: z.core.$ZodIssue): string =>
  issue.code === "invalid_union"
    ? `must be one of ${Object.keys(inputKinds).join(", ")}`
    : issue.code === "too_big"
    ? `must have at most ${designerLimits.inputs} inputs`
    : "must be a list of inputs";
