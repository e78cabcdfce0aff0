import { z } from "zod";
import { hasMoreValues } from "../../base/json_size.ts";
import { Fault } from "../../base/faults.ts";
import { limits } from "../../base/limits.ts";
import { type Flow, flow as flowSchema, type FlowStep, stepKinds, stepsOfKind } from "./steps.ts";

/** Fault of a flow, and the step that has it. */
export interface FlowProblem {
  /** Null: it is about no step. */
  step: string | null;
  /** The place within the step, such as branches.0.next; empty for the step itself. */
  field: string;
  rule: string;
}

/** Faults of the text of a flow, each with step and rule; empty when it is valid. */
export const flowErrors = (text: string): string[] => flowProblems(text).map(problemText);

const problemText = ({ step, field, rule }: FlowProblem): string =>
  (step === null ? "" : `step "${step}": `) + (field === "" ? "" : `${field}: `) + rule;

/** The JSON of a text within the limits of size; else why not. */
function readJson(text: string): { json: unknown } | { rule: string } {
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > limits.flowBytes) {
    return { rule: `must have at most ${limits.flowBytes} bytes, and has ${bytes}` };
  }
  if (hasMoreValues(text, limits.flowValues)) {
    return { rule: `must have at most ${limits.flowValues} values` };
  }
  try {
    return { json: JSON.parse(text) };
  } catch (error) {
    return { rule: `must be JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Why a text is no draft of a flow; null of one that is. */
export function draftProblem(text: string): string | null {
  const read = readJson(text);
  if ("rule" in read) return read.rule;
  const { success } = z.object({ steps: z.record(z.string(), z.looseObject({})) })
    .safeParse(read.json);
  return success ? null : "must be an object with steps, each of which is an object";
}

/** The same in parts. */
export function flowProblems(text: string): FlowProblem[] {
  const read = readJson(text);
  if ("rule" in read) return [{ step: null, field: "", rule: read.rule }];
  const { json } = read;
  const { data, error } = flowSchema.safeParse(json);
  return data === undefined ? error.issues.map(problemOf) : problemsAcross(data as Flow);
}

/** The flow of a text that `flowErrors` finds nothing wrong with. */
export const readFlow = (text: string): Flow => flowSchema.parse(JSON.parse(text)) as Flow;

const steps = Object.keys(stepKinds).join(", ");

function problemOf(issue: z.core.$ZodIssue): FlowProblem {
  const path = issue.path.map(String);
  const [first, name, ...rest] = path;
  const step = first === "steps" && name !== undefined ? name : null;
  return { step, field: (step === null ? path : rest).join("."), rule: messageOf(issue) };
}

function messageOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "unrecognized_keys":
      return `${issue.keys.map((key) => `"${key.slice(0, 64)}"`).join(", ")} is unknown here`;
    case "invalid_union":
      return `must be one of ${steps}`;
    case "invalid_value":
      return `must be one of ${issue.values.join(", ")}`;
    case "invalid_key":
      return issue.issues[0]?.message ?? issue.message;
    case "invalid_type":
      return issue.message.endsWith("received undefined") ? "is required" : kindRule(issue);
    case "too_small":
      return issue.origin === "string"
        ? "must not be empty"
        : issue.origin === "array"
        ? `needs at least ${issue.minimum}`
        : `must be at least ${issue.minimum}`;
    case "too_big":
      return `must ${issue.origin === "number" || issue.origin === "int" ? "be" : "have"} ` +
        `at most ${issue.maximum}${issue.origin === "string" ? " characters" : ""}`;
    default:
      return issue.message;
  }
}

function kindRule({ expected }: z.core.$ZodIssueInvalidType): string {
  const kind = expected === "record" ? "object" : expected;
  return `must be ${/^[aeio]/.test(kind) ? "an" : "a"} ${kind}`;
}

/** The rules that no step can know by itself. */
function problemsAcross(flow: Flow): FlowProblem[] {
  const steps = Object.entries(flow.steps);
  if (steps.length > limits.flowSteps) {
    return [{ step: null, field: "", rule: `must have at most ${limits.flowSteps} steps` }];
  }
  const missing = (name: string) =>
    Object.hasOwn(flow.steps, name) ? [] : [`there is no step "${name}"`];
  const start = missing(flow.start).map((rule): FlowProblem => ({
    step: null,
    field: "start",
    rule,
  }));
  return start.concat(steps.flatMap(([step, known]) => [
    ...targetsOf(known).flatMap(([field, target]) =>
      missing(target).map((rule) => ({ step, field, rule }))
    ),
    ...[...bodyErrors(known), ...queueErrors(known)].map(([field, rule]) => ({
      step,
      field,
      rule,
    })),
  ]));
}

/** Steps that a step may lead to, each with the field that names it. */
function targetsOf(step: FlowStep): [field: string, target: string][] {
  const lists = ["branches", "conditions"].flatMap((list) => {
    // Kinds of steps have different lists; one that a kind lacks reads as undefined.
    const parts = (step as unknown as Record<string, { next: string }[] | undefined>)[list] ?? [];
    return parts.map(({ next }, at) => [`${list}.${at}.next`, next] as [string, string]);
  });
  const single = [
    "next",
    "noInput",
    "noRecording",
    "onFailure",
    "onRemoteError",
    "onLeave",
    "onFull",
    "onError",
  ];
  const fields = Object.entries(step).filter(([field]) => single.includes(field));
  return [...lists, ...fields as [string, string][]];
}

/** Rules between the fields of a request to an external service that a step breaks. */
function bodyErrors(step: FlowStep): [field: string, rule: string][] {
  if (step.type !== "externalService") return [];
  const { method = "GET", contentType = "form", population, body, username, password } = step;
  const isManual = contentType === "json" || population === "manual";
  const rules: [isBroken: boolean, field: string, rule: string][] = [
    [method === "GET" && step.contentType !== undefined, "contentType", "is of a POST only"],
    [method === "GET" && population !== undefined, "population", "is of a POST only"],
    [method === "GET" && body !== undefined, "body", "is of a POST only"],
    [
      contentType === "json" && population === "auto",
      "population",
      "must be manual for JSON, whose body is written by hand",
    ],
    [
      contentType === "json" && step.parameters !== undefined,
      "parameters",
      "a JSON body is written by hand, in body",
    ],
    [method === "POST" && isManual && body === undefined, "body", "is required"],
    [
      method === "POST" && !isManual && body !== undefined,
      "body",
      "needs population to be manual",
    ],
    [
      (username === undefined) !== (password === undefined),
      username === undefined ? "username" : "password",
      "is required with the other",
    ],
  ];
  return rules.filter(([isBroken]) => isBroken).map(([, field, rule]) => [field, rule]);
}

/** Rules between fields about queues that a step breaks. */
function queueErrors(step: FlowStep): [field: string, rule: string][] {
  if (step.type === "dial" && step.to.length > 1) {
    return step.to.flatMap(({ queue }, at) =>
      queue === undefined ? [] : [[`to.${at}.queue`, "a queue is dialled alone"]]
    );
  }
  if (step.type !== "enqueue" || step.waitUrl === undefined) return [];
  return (["prompts", "musicS", "leaveKey", "maxWait"] as const)
    .filter((field) => step[field] !== undefined)
    .map((field) => [field, "is not possible with waitUrl, whose server decides what is heard"]);
}

/** The first step that applications of a kind have no use for; null without one. */
export function kindProblem(flow: Flow, kind: keyof typeof stepsOfKind): FlowProblem | null {
  const known = stepsOfKind[kind];
  const [step, wrong] = Object.entries(flow.steps).find(([, { type }]) => !known.has(type)) ?? [];
  if (step === undefined || wrong === undefined) return null;
  const rule = `${wrong.type} is none of those of Kind ${kind}: ${[...known].join(", ")}`;
  return { step, field: "type", rule };
}

/** Throws `badParameter` for a step that applications of this kind have no use for. */
export function assertFitsKind(
  { flow, kind }: { flow?: string | null; kind: keyof typeof stepsOfKind },
): void {
  if (!flow) return; // Kept before flows were, it has none.
  const problem = kindProblem(readFlow(flow), kind);
  if (problem !== null) throw new Fault("badParameter", `Flow ${problemText(problem)}`);
}
