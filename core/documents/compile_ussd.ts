import type { Script } from "../protocol/script.ts";
import type { UssdStep } from "../protocol/ussd.ts";
import { limits } from "../base/limits.ts";
import type { Compiled } from "./compile.ts";
import type { Element } from "../markup/parse.ts";
import {
  actionAttribute,
  type DocumentContext,
  languageAttribute,
  readAttributes,
} from "../markup/verb.ts";
import { messageVerbs } from "../markup/verbs/mod.ts";
import { collectAttributes } from "../markup/verbs/ussd_collect.ts";
import { fittingUssd } from "../model/values/ussd_length.ts";

/*
 * A USSD dialogue is a Call with callbacks and without a price. Trunks carry it as SIP without media. One
 * text is shown at a time, so messages before a question are shown with it, and those at the end with BYE.
 * A reply has three minutes. A pushed dialogue without a question ends when the device confirms that it
 * showed the text, after 10 s at the latest.
 */

/** A document while it becomes steps: texts that are not shown yet. */
interface Reading {
  script: Script;
  texts: string[];
  language: string | undefined;
  context: DocumentContext;
}

/**
 * Turns a document for a USSD dialogue into a script. Messages are shown with the question that
 * follows, or as the last words: one text ends the dialogue, since no other may come before a reply.
 */
export async function compileUssd(
  document: readonly Element[],
  known: Omit<DocumentContext, "skip">,
): Promise<Compiled> {
  const skipped: string[] = [];
  const context = { ...known, skip: (what: string) => skipped.push(what) };
  const reading: Reading = { script: [], texts: [], language: undefined, context };
  let hangsUp = false;
  for (const element of document) {
    hangsUp = element.name === "Hangup";
    if (hangsUp) break;
    if (await read(element, reading)) return { script: reading.script, skipped };
  }
  const { script, texts } = reading;
  script.push(texts.length > 0 ? stepOf(reading, false) : last(hangsUp));
  return { script, skipped };
}

const last = (hangsUp: boolean): Script[number] =>
  hangsUp ? { type: "hangup" } : { type: "hangup", cause: "end-of-markup" };

/** Reads an element; returns true when no later one is reached. */
async function read(element: Element, reading: Reading): Promise<boolean> {
  const { context, texts, script } = reading;
  switch (element.name) {
    case "Language":
      reading.language = languageOf(element, context) ?? reading.language;
      return false;
    case "UssdMessage":
      texts.push(...textOf(element, context));
      return false;
    case "UssdCollect":
      script.push(collect(element, reading));
      return false;
  }
  const verb = messageVerbs.get(element.name);
  if (verb === undefined) {
    context.skip(
      `verb ${element.name}: USSD knows Language, UssdMessage, UssdCollect, Redirect, ` +
        "Sms and Email",
    );
    return false;
  }
  if (verb.isLast && texts.length > 0) {
    context.skip(
      `UssdMessage before ${element.name}: nothing is shown before a UssdCollect or the end`,
    );
  }
  const attributes = readAttributes(element, verb.attributes, context, verb);
  script.push(...await verb.compile(element, attributes, context));
  return verb.isLast ?? false;
}

function collect(element: Element, reading: Reading): UssdStep {
  const { context, texts } = reading;
  const { method } = readAttributes(element, collectAttributes, context, {
    hasElements: true,
  });
  const action = actionAttribute(element, method, context);
  for (const child of element.children) {
    if (child.name === "UssdMessage") texts.push(...textOf(child, context));
    else if (child.name === "Language") {
      reading.language = languageOf(child, context) ?? reading.language;
    } else context.skip(`${child.name} in UssdCollect`);
  }
  if (texts.length === 0) context.skip("UssdCollect: it shows no UssdMessage");
  return { ...stepOf(reading, true), ...action && { action } };
}

/** The step that shows all texts so far. */
function stepOf({ texts, language, context }: Reading, collect: boolean): UssdStep {
  const whole = texts.splice(0).join("\n");
  const text = fittingUssd(whole);
  if (text !== whole) {
    context.skip(
      `the text of a USSD message after ${text.length} characters: it has ${whole.length}, and ` +
        `${limits.ussdGsmLength} of the GSM alphabet or ${limits.ussdOtherLength} others fit`,
    );
  }
  return { type: "ussd", message: { text, ...language && { language } }, collect };
}

function textOf(element: Element, context: DocumentContext): string[] {
  readAttributes(element, {}, context);
  const text = element.text.replaceAll(/[^\S\n]+/g, " ").replaceAll(/ ?\n ?/g, "\n").trim();
  if (text === "") context.skip("UssdMessage: it has no text");
  return text === "" ? [] : [text];
}

function languageOf(element: Element, context: DocumentContext): string | undefined {
  readAttributes(element, {}, context);
  const { success } = languageAttribute.safeParse(element.text);
  if (success && element.text !== "") return element.text;
  context.skip(`Language "${element.text.slice(0, 100)}": it is no language tag`);
  return undefined;
}
