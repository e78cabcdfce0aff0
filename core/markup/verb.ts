import { z } from "zod";
import type { Action } from "../protocol/action.ts";
import { digits } from "../protocol/gather.ts";
import type { Step } from "../protocol/script.ts";
import type { Address } from "../model/values/address.ts";
import type { Caller, Routing, Unroutable } from "../calls/route.ts";
import { isFlow, isValidation } from "../model/flows/address.ts";
import { limits } from "../base/limits.ts";
import { hasShortHost } from "../base/url_host.ts";
import type { Call } from "../model/resources/calls.ts";
import type { Element } from "./parse.ts";
import { refusedAttributes, skippedElement } from "./refused.ts";

/** Context in which a verb of calls and of messages is compiled. */
export interface DocumentContext {
  /** Relative addresses in the document are against this. */
  documentUrl: string;
  /** Documents in a row, this one included, that took no time so far. */
  hops: number;
  /**
   * The two parties: ours, which is the sender of messages, and the remote one; and the version of
   * the interface that the call or message is of.
   */
  ends: { ours: string; theirs: string; apiVersion?: string };
  /** Notes a part that is not performed, for a Notification. */
  skip(what: string): void;
}

/** Context in which a verb of calls is compiled. */
export interface CompileContext extends DocumentContext {
  call: Call;
  /** Finds the route of a call to an address. */
  route(address: Address, caller: Pick<Caller, "from" | "credentials">): Promise<Routing>;
  /** Notes that a noun's address has no route, for one Notification of each reason. */
  unroutable(reason: Unroutable): void;
  newSid(prefix: string): string;
  /** Steps after the last verb, in place of a hang-up. */
  ending?: Step[];
}

type Attributes<S extends z.ZodRawShape> = z.infer<z.ZodObject<S>>;

/** A verb of the markup: its attributes with their defaults, and the steps it stands for. */
export interface Verb<S extends z.ZodRawShape = z.ZodRawShape, C = CompileContext> {
  name: string;
  attributes: S;
  /** A call that is not answered yet is answered before it. */
  answers: boolean;
  /** No later verb is reached. */
  isLast?: boolean;
  /** True for a verb that reads elements inside it; others have text alone. */
  hasElements?: boolean;
  compile(
    element: Element,
    attributes: Attributes<S>,
    context: C,
  ): Step[] | Promise<Step[]>;
}

/** Declares a verb of calls. Identity at run time: it exists to infer the attributes. */
export const verb = <S extends z.ZodRawShape>(declaration: Verb<S>): Verb<S> => declaration;

/** Declares a verb of calls and of replies to messages. */
export const sharedVerb = <S extends z.ZodRawShape>(
  declaration: Verb<S, DocumentContext>,
): Verb<S, DocumentContext> => declaration;

// deno-lint-ignore no-explicit-any
export type AnyVerb = Verb<any>;

// deno-lint-ignore no-explicit-any
export type AnySharedVerb = Verb<any, DocumentContext>;

/**
 * Reads an element's attributes; what is unknown or wrong is noted, and counts as not given. So are
 * elements inside it, unless the verb has those.
 */
export function readAttributes<S extends z.ZodRawShape>(
  { name, attributes, children }: Element,
  shape: S,
  context: Pick<DocumentContext, "skip">,
  { hasElements = false }: { hasElements?: boolean } = {},
): Attributes<S> {
  for (const child of hasElements ? [] : children) context.skip(skippedElement(child.name, name));
  const given = Object.entries(attributes);
  for (const [attribute] of given) {
    if (Object.hasOwn(shape, attribute)) continue;
    const reason = refusedAttributes[name]?.[attribute];
    context.skip(`attribute "${attribute}" of ${name}${reason === undefined ? "" : `: ${reason}`}`);
  }
  const values = Object.entries(shape).map(([attribute, schema]) => {
    const field = schema as z.ZodType;
    const value = Object.hasOwn(attributes, attribute) ? attributes[attribute] : undefined;
    const parsed = field.safeParse(value);
    if (parsed.success) return [attribute, parsed.data];
    context.skip(`value "${value}" of attribute "${attribute}" of ${name}`);
    return [attribute, field.parse(undefined)];
  });
  return Object.fromEntries(values);
}

/**
 * An attribute that is taken and changes nothing here: it names a choice of Twilio's engines. Tables
 * of the documentation list it as a hint.
 */
export const hint = z.string().optional();

/** A whole number from `min` to `max`, `fallback` when it is not given. */
export const wholeNumber = (
  { min, max, fallback }: { min: number; max: number; fallback: number },
) =>
  z.string().regex(/^\d{1,9}$/).transform(Number).pipe(z.number().min(min).max(max)).optional()
    .transform((number) => number ?? fallback);

/** `true` or `false`. */
export const boolean = (fallback: boolean) =>
  z.enum(["true", "false"]).optional().transform((text) =>
    text === undefined ? fallback : text === "true"
  );

/** A method that another attribute stands for where it is absent. */
export const givenMethod = z.string().toUpperCase().pipe(z.enum(["GET", "POST"])).optional();

/** The method that goes with a URL attribute. */
export const methodAttribute = givenMethod.transform((method) => method ?? "POST");

/** An address of the document against the document's own; null when it is none we may request. */
export function resolveUrl(
  address: string,
  { documentUrl }: Pick<DocumentContext, "documentUrl">,
): string | null {
  const url = URL.parse(address, documentUrl);
  const isOurs = [isFlow, isValidation].some((is) =>
    url !== null && is(url.href) && is(documentUrl)
  );
  if (url !== null && isOurs) return url.href;
  const isUsable = url !== null && /^https?:$/.test(url.protocol) && hasShortHost(url) &&
    url.href.length <= limits.urlLength;
  return isUsable ? url.href : null;
}

/** The URL of an attribute; undefined, with a note, when it is none that we may request. */
export function urlAttribute(
  { name, attributes }: Element,
  attribute: string,
  context: DocumentContext,
): string | undefined {
  const given = Object.hasOwn(attributes, attribute) ? attributes[attribute]?.trim() ?? "" : "";
  if (given === "") return undefined;
  const url = resolveUrl(given, context);
  if (url !== null) return url;
  context.skip(`${attribute} "${given.slice(0, 100)}" of ${name}: it is no http or https address`);
  return undefined;
}

/** The next document, by the attributes `action` and `method` of a verb. */
export function actionAttribute(
  element: Element,
  method: Action["method"],
  context: DocumentContext,
): Action | undefined {
  const url = urlAttribute(element, "action", context);
  return url === undefined ? undefined : { url, method, hops: context.hops };
}

/** The same; without an action a call of Twilio's interface requests its document again. */
export function actionOrDocument(
  element: Element,
  method: Action["method"],
  context: CompileContext,
): Action | undefined {
  const action = actionAttribute(element, method, context);
  const isAbsent = (element.attributes.action?.trim() ?? "") === "";
  if (!isAbsent || !hasTwilioDefaults(context)) return action;
  return { url: context.documentUrl, method, hops: context.hops };
}

/** The steps of a verb that cannot be performed: its action with the outcome, if it has one. */
export const notPerformed = (
  action: Action | undefined,
  params: Record<string, string>,
): Step[] => action === undefined ? [] : [{ type: "next", action: { ...action, params } }];

/** A set of keys of a telephone; empty for none of them. */
export const keySet = (fallback: string) =>
  z.string().toUpperCase().regex(/^[0-9A-D*#]*$/).max(limits.keySetLength).optional()
    .transform((keys) => keys ?? fallback);

/** Digits to send: `w` is half a second of silence, `W` a whole one. */
export const digitsAttribute = z.string()
  .transform((text) => text.replace(/[a-d]/g, (letter) => letter.toUpperCase()))
  .pipe(digits.max(limits.sentDigits)).optional();

/** A language tag (RFC 5646), or a code of two letters. */
export const languageAttribute = z.string().trim()
  .regex(/^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3}$/).optional()
  .transform((language) => language ?? "en-US");

/**
 * True where absent attributes have Twilio's defaults: the call was placed by the interface `/2010-04-01`, or
 * came in for a number of it.
 */
export const hasTwilioDefaults = ({ call }: { call: Pick<Call, "apiVersion"> }): boolean =>
  call.apiVersion === limits.twilioApiVersion;

/** Words and phrases that speech recognition may expect, separated by commas. */
export const hintsAttribute = z.string().max(limits.hintsLength)
  .transform((text) => text.split(",").map((hint) => hint.trim()).filter(Boolean))
  .pipe(z.array(z.string()).max(limits.hints)).optional().transform((hints) => hints ?? []);
