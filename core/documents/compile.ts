import type { Script } from "../protocol/script.ts";
import type { Element } from "../markup/parse.ts";
import { type CompileContext, readAttributes } from "../markup/verb.ts";
import { refusedElements } from "../markup/refused.ts";
import { streamOptions } from "../model/values/stream_options.ts";
import { verbs } from "../markup/verbs/mod.ts";

/** A document as a script, and the parts of it that are not performed. */
export interface Compiled {
  script: Script;
  skipped: string[];
}

/**
 * Turns a document into a script. It ends with a hang-up; that of a leg which a dial placed goes
 * back to the dial, which may be screening it. An unanswered inbound call is answered before the first verb
 * that needs it. A document that does nothing or pauses only answers at once.
 */
export async function compile(
  document: readonly Element[],
  known: Omit<CompileContext, "skip" | "ends">,
): Promise<Compiled> {
  const context = { ...known, ends: endsOf(known.call) };
  const script: Script = [];
  const skipped: string[] = [];
  const isAnswered = context.call.direction !== "inbound" || context.call.status === "in-progress";
  let needsAnswer = !isAnswered;

  for (const element of document) {
    const verb = verbs.get(element.name);
    if (verb === undefined) {
      const reason = refusedElements[element.name];
      skipped.push(`verb ${element.name}${reason === undefined ? "" : `: ${reason}`}`);
      continue;
    }
    const scope = { ...context, skip: (what: string) => skipped.push(what) };
    const attributes = readAttributes(element, verb.attributes, scope, verb);
    const steps = await verb.compile(element, attributes, scope);
    if (steps.length > 0 && (verb.answers || steps.some(isMusic)) && needsAnswer) {
      script.push({ type: "answer" });
      needsAnswer = false;
    }
    script.push(...steps);
    if (verb.isLast) return { script, skipped };
  }
  if (context.ending !== undefined) return { script: [...script, ...context.ending], skipped };
  const isSilent = script.every((step) => step.type === "silence" || isCopy(step));
  if (needsAnswer && isSilent && !document.some(({ name }) => name === "Dial")) {
    script.unshift({ type: "answer" });
  }
  const last: Script[number] = context.call.direction === "outbound-dial"
    ? { type: "connect" }
    : { type: "hangup", cause: "end-of-markup" };
  return { script: [...script, last], skipped };
}

const isMusic = (step: Script[number]): boolean => step.type === "silence" && step.music === true;

/** True for a step that begins a copy of the audio, which waits for the answer of the call. */
const isCopy = (step: Script[number]): boolean =>
  step.type === "consult" && streamOptions.safeParse(step.serviceContext).success;

/** The ends of a call: `ours` is To of an inbound call, From of any other. */
export const endsOf = (
  { direction, from, to, apiVersion }: Pick<
    CompileContext["call"],
    "direction" | "from" | "to" | "apiVersion"
  >,
) =>
  direction === "inbound"
    ? { ours: to, theirs: from, apiVersion }
    : { ours: from, theirs: to, apiVersion };
