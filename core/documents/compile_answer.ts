import type { NoteStep } from "../protocol/note.ts";
import type { Step } from "../protocol/script.ts";
import type { Element } from "../markup/parse.ts";
import { type DocumentContext, readAttributes } from "../markup/verb.ts";
import { messageVerbs } from "../markup/verbs/mod.ts";

/**
 * A step of a reply to a message: an order, with its action if it has one, or the next document.
 */
export type AnswerStep = NoteStep | Extract<Step, { type: "next" }>;

/** Reads an answer to a message. Verbs that only a call could perform are skipped. */
export async function compileAnswer(
  document: readonly Element[],
  known: Omit<DocumentContext, "skip">,
): Promise<{ steps: AnswerStep[]; skipped: string[] }> {
  const steps: AnswerStep[] = [];
  const skipped: string[] = [];
  const context = { ...known, skip: (what: string) => skipped.push(what) };
  for (const element of document) {
    const verb = messageVerbs.get(element.name);
    if (verb === undefined) {
      context.skip(`verb ${element.name}: messages know Message, Sms, Email and Redirect`);
      continue;
    }
    const attributes = readAttributes(element, verb.attributes, context, verb);
    const made = await verb.compile(element, attributes, context);
    steps.push(...made.filter((step) => step.type === "note" || step.type === "next"));
    if (verb.isLast) break;
  }
  return { steps, skipped };
}
