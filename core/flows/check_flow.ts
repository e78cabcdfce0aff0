import { z } from "zod";
import { Fault } from "../base/faults.ts";
import { limits } from "../base/limits.ts";
import { type Flow, flow as flowSchema, type FlowStep, stepKinds, stepsOfKind } from "./steps.ts";

/** What is wrong with the text of a flow, each with the step and the rule; nothing when it is right. */
export function flowErrors(text: string): string[] {
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > limits.flowBytes) {
    return [`must have at most ${limits.flowBytes} bytes, and has ${bytes}`];
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return [`must be JSON: ${error instanceof Error ? error.message : String(error)}`];
  }
  const { data, error } = flowSchema.safeParse(json);
  return data === undefined ? error.issues.map(ruleOf) : errorsAcross(data as Flow);
}

/** The flow of a text that `flowErrors` finds nothing wrong with. */
export const readFlow = (text: string): Flow => flowSchema.parse(JSON.parse(text)) as Flow;

const steps = Object.keys(stepKinds).join(", ");

function ruleOf(issue: z.core.$ZodIssue): string {
  const [first, name, ...rest] = issue.path.map(String);
  const isInStep = first === "steps" && name !== undefined;
  const place = isInStep ? rest : issue.path.map(String);
  const field = place.length === 0 ? "" : `${place.join(".")}: `;
  return (isInStep ? `step "${name}": ` : "") + field + messageOf(issue);
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
function errorsAcross(flow: Flow): string[] {
  const steps = Object.entries(flow.steps);
  if (steps.length > limits.flowSteps) return [`must have at most ${limits.flowSteps} steps`];
  const isStep = (name: string) => Object.hasOwn(flow.steps, name);
  const start = isStep(flow.start) ? [] : [`start: there is no step "${flow.start}"`];
  return start.concat(steps.flatMap(([name, step]) => {
    const missing = targetsOf(step).filter(([, target]) => !isStep(target))
      .map(([field, target]) => `${field}: there is no step "${target}"`);
    return [...missing, ...bodyErrors(step)].map((error) => `step "${name}": ${error}`);
  }));
}

/** Where a step may lead, each with the field that says so. */
function targetsOf(step: FlowStep): [field: string, target: string][] {
  const lists = ["branches", "conditions"].flatMap((list) => {
    // Kinds of steps have different lists; one that a kind lacks reads as undefined.
    const parts = (step as unknown as Record<string, { next: string }[] | undefined>)[list] ?? [];
    return parts.map(({ next }, at) => [`${list}.${at}.next`, next] as [string, string]);
  });
  const single = ["next", "noInput", "noRecording", "onFailure", "onRemoteError"];
  const fields = Object.entries(step).filter(([field]) => single.includes(field));
  return [...lists, ...fields as [string, string][]];
}

/** What the parts of a request to an external service must be to each other. */
function bodyErrors(step: FlowStep): string[] {
  if (step.type !== "externalService") return [];
  const { method = "GET", contentType = "form", population, body, username, password } = step;
  const isManual = contentType === "json" || population === "manual";
  const rules: [isBroken: boolean, error: string][] = [
    [method === "GET" && step.contentType !== undefined, "contentType: is of a POST only"],
    [method === "GET" && population !== undefined, "population: is of a POST only"],
    [method === "GET" && body !== undefined, "body: is of a POST only"],
    [
      contentType === "json" && population === "auto",
      "population: must be manual for JSON, whose body is written by hand",
    ],
    [
      contentType === "json" && step.parameters !== undefined,
      "parameters: a JSON body is written by hand, in body",
    ],
    [method === "POST" && isManual && body === undefined, "body: is required"],
    [method === "POST" && !isManual && body !== undefined, "body: needs population to be manual"],
    [
      (username === undefined) !== (password === undefined),
      `${username === undefined ? "username" : "password"}: is required with the other`,
    ],
  ];
  return rules.filter(([isBroken]) => isBroken).map(([, error]) => error);
}

/** Throws `badParameter` for a step that applications of this kind have no use for. */
export function assertFitsKind(
  { flow, kind }: { flow?: string | null; kind: keyof typeof stepsOfKind },
): void {
  if (!flow) return; // Kept before flows were, it has none.
  const wrong = Object.entries(readFlow(flow).steps)
    .find(([, { type }]) => !stepsOfKind[kind].has(type));
  if (wrong === undefined) return;
  const [name, { type }] = wrong;
  const known = [...stepsOfKind[kind]].join(", ");
  throw new Fault(
    "badParameter",
    `Flow step "${name}": type: ${type} is none of those of Kind ${kind}: ${known}`,
  );
}
