import type { z } from "zod";
import { Fault, type FaultName } from "../../base/faults.ts";
import { pascal } from "../../base/wire.ts";

/** Parameters that an operation accepts. */
export interface Parameters {
  /** By field name. */
  schema: z.ZodObject;
  /** Other names that are understood, each with the field it means. */
  aliases?: Record<string, string>;
  /** The specific fault of a parameter that is missing or wrong. */
  faults?: Record<string, FaultName | undefined>;
}

/** A body as names and texts; a name that was sent more than once has all its texts. */
export type Sent = Map<string, string | string[]>;

/** Adds a text under a name that may have come before. */
export function addSent(sent: Sent, name: string, text: string): void {
  const before = sent.get(name);
  if (Array.isArray(before)) before.push(text);
  else sent.set(name, before === undefined ? text : [before, text]);
}

/** Fields by the names of their parameters, aliases included. */
function fieldsByName({ schema, aliases = {} }: Parameters): Map<string, string> {
  const accepted = Object.keys(schema.shape);
  const fieldOf = new Map(accepted.map((field) => [pascal(field), field]));
  for (const [name, field] of Object.entries(aliases)) {
    if (accepted.includes(field)) fieldOf.set(name, field);
  }
  return fieldOf;
}

/** True when a name is that of a parameter. */
export function accepts(parameters: Parameters): (name: string) => boolean {
  const fieldOf = fieldsByName(parameters);
  return (name) => fieldOf.has(name);
}

/** Names of the parameters, aliases included. */
export const namesOf = (parameters: Parameters): string[] => [...fieldsByName(parameters).keys()];

/** Assigns the sent texts to fields; `unknown` are the names of no field. */
export function matchFields(
  parameters: Parameters,
  sent: Sent,
): { fields: Sent; unknown: string[] } {
  const fieldOf = fieldsByName(parameters);
  const fields: Sent = new Map();
  const unknown: string[] = [];
  for (const [name, texts] of sent) {
    const field = fieldOf.get(name);
    if (field === undefined) unknown.push(name);
    else for (const text of [texts].flat()) addSent(fields, field, text);
  }
  return { fields, unknown };
}

/**
 * The values of fields. Throws the fault of the first wrong parameter, with a message that names
 * each wrong one and the rule it breaks.
 */
export function parseFields(
  { schema, faults = {} }: Parameters,
  fields: Sent,
): Record<string, unknown> {
  const result = schema.safeParse(Object.fromEntries(fields));
  if (result.success) return result.data;
  const broken = new Map<string, string>();
  for (const issue of result.error.issues) {
    const field = String(issue.path[0]);
    if (broken.has(field)) continue;
    const sent = fields.get(field);
    broken.set(field, ruleOf(issue, sent) + plusHint(issue, sent));
  }
  const detail = [...broken].map(([field, rule]) => `${pascal(field)} ${rule}`).join("; ");
  const [firstField = ""] = broken.keys();
  throw new Fault(
    ownFault(result.error.issues[0]) ?? faults[firstField] ?? "badParameter",
    detail,
  );
}

/** Rules about the form of a text, which a space in place of a `+` breaks. */
const formatRules = ["invalid_format", "invalid_union", "custom"];

/** Names the usual cause of a space in an address: a `+` that was not percent-encoded. */
const plusHint = ({ code }: z.core.$ZodIssue, sent: string | string[] | undefined): string =>
  typeof sent === "string" && /(^|\S) \S/.test(sent) && formatRules.includes(code)
    ? ` (in a form, + means a space: send + as %2B)`
    : "";

/** The fault of one rule of a field, which its schema carries as `params: { fault }`. */
const ownFault = (issue: z.core.$ZodIssue | undefined): FaultName | undefined =>
  issue?.code === "custom" ? issue.params?.fault : undefined;

/** The rule that a value breaks, as the end of a sentence that begins with the parameter's name. */
export function ruleOf(
  issue: z.core.$ZodIssue,
  sent: string | string[] | undefined,
): string {
  if (sent === undefined) return "is required";
  switch (issue.code) {
    case "invalid_union": {
      const last = issue.errors.at(-1)?.[0];
      return last === undefined ? "is not valid" : ruleOf(last, sent);
    }
    case "invalid_type":
      if (Array.isArray(sent)) return "must be given once";
      return issue.expected === "number" ? "must be a whole number" : `must be a ${issue.expected}`;
    case "invalid_value":
      return Array.isArray(sent) && issue.path.length < 2
        ? "must be given once"
        : oneOfRule(issue.values);
    case "too_small":
      return issue.origin === "string"
        ? shortRule(issue.minimum)
        : `must be at least ${issue.minimum}`;
    case "too_big":
      return issue.origin === "string"
        ? `must have at most ${issue.maximum} characters`
        : `must be at most ${issue.maximum}`;
    case "invalid_format":
      return issue.format === "email" ? "must be an e-mail address" : issue.message;
    default:
      return issue.message;
  }
}

/** The rule of a parameter that has one of these values. */
const oneOfRule = (values: readonly unknown[]): string =>
  `must be ${values.length === 1 ? "" : "one of "}${values.join(", ")}`;

const shortRule = (minimum: number | bigint): string =>
  minimum <= 1 ? "must not be empty" : `must have at least ${minimum} characters`;
