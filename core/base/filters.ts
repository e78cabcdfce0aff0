import { z } from "zod";
import { phoneText } from "./fields.ts";
import { limits } from "./limits.ts";
import { sidTime } from "./sid.ts";

/**
 * Kinds of filters of a list; declared for each resource, planned by the store. `equals` takes the
 * whole value. `address` takes `*` for any run of characters, too, and a Client by its Login with
 * or without `client:`. `contains` takes a part in any case. `number` takes a part of a phone
 * number in which `*` stands for any one digit.
 */
export type FilterKind = "equals" | "address" | "contains" | "number";

const text = z.string().max(limits.filterLength);
const phoneNumber = phoneText().max(limits.filterLength);
const digits = z.string().regex(/^\d{1,15}$/, "must be a whole number");
const truth = z.enum(["true", "false"]);

/** Schema of the values that a filter compares a field with: whole values, or parts of them. */
export function filterValue(kind: FilterKind, field: z.ZodType): z.ZodType {
  if (kind === "address") return phoneNumber;
  if (kind === "contains") return text;
  if (field instanceof z.ZodOptional || field instanceof z.ZodNullable) {
    return filterValue(kind, field.unwrap() as z.ZodType);
  }
  if (field instanceof z.ZodNumber) return digits;
  if (field instanceof z.ZodBoolean) return truth;
  return field;
}

/** One condition on a field of a record. */
export type Condition =
  | { field: string; op: "equals"; value: string }
  | { field: string; op: "oneOf"; values: string[] }
  /** `*` stands for any run of characters, everything else for itself. */
  | { field: string; op: "matches"; value: string }
  | { field: string; op: "contains"; value: string }
  | { field: string; op: "hasPart"; value: string }
  /** Instants in ms; `before` itself does not pass. Either may be infinite. */
  | { field: string; op: "between"; from: number; before: number }
  /** The same of the instant at which the record's Sid was made: the order of lists has it. */
  | { field: string; op: "made"; from: number; before: number };

/** True when a record meets every condition. */
export const matches = (record: Record<string, unknown>, conditions: Condition[]): boolean =>
  conditions.every((condition) => passes(record[condition.field], condition));

function passes(value: unknown, condition: Condition): boolean {
  switch (condition.op) {
    case "equals":
      return String(value ?? "") === condition.value;
    case "oneOf":
      return condition.values.includes(String(value ?? ""));
    case "matches":
      return fitsPattern(String(value ?? ""), condition.value);
    case "contains":
      return String(value ?? "").toLowerCase().includes(condition.value.toLowerCase());
    case "hasPart":
      return hasPart(String(value ?? ""), condition.value);
    case "between":
      return typeof value === "number" && isWithin(value, condition);
    case "made":
      return isWithin(sidTime(String(value)), condition);
  }
}

const isWithin = (at: number, { from, before }: { from: number; before: number }): boolean =>
  at >= from && at < before;

/** True when a text fits a pattern. Takes time linear in text × pattern, for each pattern. */
export function fitsPattern(text: string, pattern: string): boolean {
  let [at, next] = [0, 0];
  /** Index of the last `*`, and the index in the text that it reaches so far. */
  let [star, reach] = [-1, 0];
  while (at < text.length) {
    if (pattern[next] === "*") {
      [star, reach] = [next++, at];
    } else if (pattern[next] === text[at]) {
      at++;
      next++;
    } else if (star >= 0) {
      at = ++reach;
      next = star + 1;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(next));
}

/**
 * True when a part, in which `*` stands for any one digit, is in a number. (A `*` of a virtual
 * number passes for a digit.)
 */
export function hasPart(number: string, part: string): boolean {
  for (let start = 0; start + part.length <= number.length; start++) {
    let at = 0;
    while (at < part.length && isLike(number.charCodeAt(start + at), part.charCodeAt(at))) at++;
    if (at === part.length) return true;
  }
  return false;
}

/** Returns whether a character is the wanted one, or a digit where that is `*`. */
const isLike = (found: number, wanted: number): boolean =>
  found === wanted || wanted === 0x2a && found >= 0x30 && found <= 0x39;
