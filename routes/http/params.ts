import { Fault } from "../../core/base/faults.ts";
import { limits } from "../../core/base/limits.ts";
import { nearestName } from "../../core/base/near_names.ts";
import {
  accepts,
  addSent,
  matchFields,
  namesOf,
  type Parameters,
  parseFields,
  type Sent,
} from "../../core/model/rest/parameters.ts";
import { formPairs, readBody } from "./body.ts";
import type { Ctx } from "./env.ts";

/**
 * Reads the parameters in a request's body into fields. Parameters in the query string are ignored.
 * Throws the fault of the first wrong one.
 */
export async function readParams(
  c: Ctx,
  parameters: Parameters,
): Promise<Record<string, unknown>> {
  const sent = await readBody(c.req.raw, accepts(parameters));
  c.set("sent", sent);
  const ignored = new URL(c.req.url).searchParams.keys();
  const fields = parametersOf(c, sent, { parameters, ignored });
  assertShowable(sent); // After the rules of the parameters, whose faults say more.
  return fields;
}

/** Characters that XML 1.0 §2.2 forbids: no response could show them as they were stored. */
// deno-lint-ignore no-control-regex
const control = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;

/** Throws `badParameter` for a text that no response could show. */
function assertShowable(sent: Sent): void {
  for (const [name, texts] of sent) {
    if (![texts].flat().some((text) => control.test(text))) continue;
    const rule = "must have no control characters but tabs and line breaks";
    throw new Fault("badParameter", `${name.slice(0, 64)} ${rule}`);
  }
}

/** Reads the parameters in a request's query string, as `readParams` those in its body. */
export function readQuery(c: Ctx, parameters: Parameters): Record<string, unknown> {
  const sent: Sent = new Map();
  for (const [name, text] of queryOf(c)) addSent(sent, name, text);
  return parametersOf(c, sent, { parameters });
}

/** The parameters in a request's query string. */
export const queryOf = (c: Ctx): URLSearchParams => formPairs(new URL(c.req.url).search.slice(1));

function parametersOf(
  c: Ctx,
  sent: Sent,
  { parameters, ignored = [] }: { parameters: Parameters; ignored?: Iterable<string> },
): Record<string, unknown> {
  const { fields, unknown } = matchFields(parameters, sent);
  warnUnknown(c, [...unknown, ...ignored], namesOf(parameters));
  return parseFields(parameters, fields);
}

/** Names the ignored parameters in the `Warning` header (RFC 7234 §5.5), with the likely ones. */
export function warnUnknown(c: Ctx, names: string[], known: readonly string[]): void {
  if (names.length === 0) return;
  const unknown = names.slice(0, limits.warnedNames).map((name) => ({
    name: name.replaceAll(/[^\x20-\x7e]|["\\]/g, "?").slice(0, 64),
    hint: hintOf(name, known),
  }));
  c.set("unknownNames", [...c.var.unknownNames ?? [], ...unknown]);
  const warnings = unknown.map(({ name, hint }) => `299 - "Unknown parameter: ${name}${hint}"`);
  c.header("Warning", warnings.join(", "));
}

/** Advice about an unknown name, where it is clear. */
function hintOf(name: string, known: readonly string[]): string {
  if (known.includes(name)) return " in the URL. Send it in the body.";
  const meant = nearestName(name, known);
  return meant === undefined ? "" : `. Did you mean ${meant}?`;
}
