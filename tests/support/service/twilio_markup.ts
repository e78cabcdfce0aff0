import twilio from "twilio";
import type { z } from "zod";
import type { AnyNoun } from "../../../core/markup/noun.ts";
import { refusedAttributes, refusedElements } from "../../../core/markup/refused.ts";
import { ssmlElements } from "../../../core/markup/ssml.ts";
import { hint } from "../../../core/markup/verb.ts";
import { connectNouns } from "../../../core/markup/verbs/connect.ts";
import { elements } from "../../../core/markup/verbs/elements.ts";
import { verbs } from "../../../core/markup/verbs/mod.ts";
import { startNouns } from "../../../core/markup/verbs/start.ts";
import { stopNouns } from "../../../core/markup/verbs/stop.ts";

/**
 * Markup that Twilio's helper library for Node can write, by its own declarations, and its meaning
 * in this service.
 */

/** An element that the library can put into another. */
export interface HelperElement {
  /** The method of the parent that makes it. */
  method: string;
  /** The library's class of it: its methods make what stands inside. */
  className: string;
  name: string;
  attributes: string[];
}

type Status = "works" | "hint" | "skipped";

/** Folder of the library's declarations, from which it reads an attribute. */
function folderOfHelper(): string {
  let stack = "";
  const probe = {
    toString() {
      stack = new Error().stack ?? "";
      return "";
    },
  };
  new twilio.twiml.VoiceResponse().say({ language: probe as never }, "");
  const [, folder] = /(file:\S+\/)TwiML\.js/.exec(stack) ?? [];
  if (folder === undefined) throw new Error(`Cannot find the helper library: ${stack}`);
  return folder;
}

const read = (name: string) => Deno.readTextFileSync(new URL(name, folderOfHelper()));

/** Elements that each class of a kind of document can hold, by the name of the class. */
function readHelper(kind: string): Map<string, HelperElement[]> {
  const declarations = read(`${kind}.d.ts`);
  const names = new Map(
    [...read(`${kind}.js`).matchAll(/new \w+\.(\w+)\(this\.\w+\.ele\("([^"]+)"/g)]
      .map(([, className, name]) => [className!, name!]),
  );
  const interfaces = new Map(
    [...declarations.matchAll(/interface (\w+) \{([^}]*)\}/g)].map(([, name, body]) => [
      name!,
      [...body!.matchAll(/^\s*"?([\w:-]+)"?\?:/gm)].map(([, attribute]) => attribute!),
    ]),
  );
  const classes = [...declarations.matchAll(/class (\w+) extends TwiML \{([^]*?)\n\s*\}\n/g)];
  const method = RegExp(String.raw`^\s+(\w+)\((.*)\): ${kind}\.(\w+);`, "gm");
  return new Map(classes.map(([, className, body]) => {
    const made = new Map<string, HelperElement>();
    for (const [, name, parameters, child] of body!.matchAll(method)) {
      const [, type = ""] = RegExp(`attributes\\??: ${kind}\\.(\\w+)`).exec(parameters!) ?? [];
      const attributes = interfaces.get(type) ?? made.get(name!)?.attributes ?? [];
      made.set(name!, {
        method: name!,
        className: child!,
        name: names.get(child!) ?? child!,
        attributes,
      });
    }
    return [className!, [...made.values()]];
  }));
}

/** The elements of documents for calls, and of answers to messages, by class. */
export const voiceElements = readHelper("VoiceResponse");
export const messagingElements = readHelper("MessagingResponse");

const nounsOf: Record<string, readonly AnyNoun[]> = {
  Start: startNouns,
  Stop: stopNouns,
  Connect: connectNouns,
};

/** Children that a noun may have in place of its text. */
const insideNouns: Record<string, string[]> = {
  Client: ["Identity", "Parameter"],
  Sip: ["Uri", "Headers"],
};

/** The attributes of an element inside another; undefined where it is not performed there. */
export function performedAttributes(
  parent: string,
  name: string,
): Record<string, z.ZodType | undefined> | undefined {
  if (parent === "Response") return verbs.get(name)?.attributes;
  if (nounsOf[parent] !== undefined) {
    return nounsOf[parent].find((noun) => noun.name === name)?.attributes;
  }
  if (parent === "Say" || Object.hasOwn(ssmlElements, parent)) {
    const known = Object.hasOwn(ssmlElements, name) ? ssmlElements[name] : undefined;
    return known && Object.fromEntries(known.map((attribute) => [attribute, undefined]));
  }
  if (parent === "Refer") return name === "Sip" ? {} : undefined;
  if (!insideNouns[parent]?.includes(name) && !elements[parent]?.contents?.includes(name)) {
    return undefined;
  }
  return elements[name]?.attributes;
}

/** Status of an attribute of an element that is performed. */
export function statusOf(parent: string, name: string, attribute: string): Status {
  const known = performedAttributes(parent, name);
  if (known === undefined || !Object.hasOwn(known, attribute)) return "skipped";
  if (parent === "Connect" && attribute === "track") return "skipped"; // Its server hears the caller.
  return known[attribute] === hint ? "hint" : "works";
}

/** Every element inside another that the library writes and the service performs, with its parent. */
export function performedElements(
  classes: Map<string, HelperElement[]>,
  root: string,
): { parent: string; path: HelperElement[] }[] {
  const found: { parent: string; path: HelperElement[] }[] = [];
  const visit = (className: string, parent: string, path: HelperElement[]) => {
    for (const child of classes.get(className) ?? []) {
      // SSML inside SSML is the same once more.
      if (path.filter(({ name }) => Object.hasOwn(ssmlElements, name)).length > 1) continue;
      found.push({ parent, path: [...path, child] });
      if (performedAttributes(parent, child.name) === undefined || parent === "Stop") continue;
      visit(child.className, child.name, [...path, child]);
    }
  };
  visit(root, "Response", []);
  return found;
}

const words = { works: "works", hint: "taken, changes nothing", skipped: "skipped" } as const;

/** The rows of the documentation: element, attribute, what becomes of it. */
export function twilioMarkupRows(): string[][] {
  const rows = new Map<string, string[]>();
  const all = [
    ...performedElements(voiceElements, "VoiceResponse"),
    ...performedElements(messagingElements, "MessagingResponse"),
  ];
  for (const { parent, path } of all) {
    const { name, attributes } = path.at(-1)!;
    const isKnown = performedAttributes(parent, name) !== undefined;
    const reason = isKnown ? "" : refusedElements[name] ?? "";
    const where = parent === "Response" ? `\`${name}\`` : `\`${name}\` in \`${parent}\``;
    const isNested = Object.hasOwn(ssmlElements, parent);
    if (isNested && isKnown) continue;
    rows.set(where, [where, "", isKnown ? "works" : "skipped", reason]);
    for (const attribute of isKnown ? attributes : []) {
      const status = statusOf(parent, name, attribute);
      const why = status === "skipped" ? refusedAttributes[name]?.[attribute] ?? "" : "";
      rows.set(`${where} ${attribute}`, [where, `\`${attribute}\``, words[status], why]);
    }
  }
  return [...rows.values()];
}

/** The texts that a type of the library's declarations allows. */
export function helperTypes(name: string): string[] {
  const [, texts = ""] = RegExp(`type ${name} = ([^;]*);`).exec(read("VoiceResponse.d.ts")) ?? [];
  return [...texts.matchAll(/"([^"]*)"/g)].map(([, text]) => text!);
}
