import { z } from "zod";
import type { Invitation } from "../../protocol/script.ts";
import { type Address, parseAddress, sipUri } from "../../values/address.ts";
import { callbackEvent } from "../../values/status.ts";
import { customHeaders } from "../../values/custom_headers.ts";
import type { Routed } from "../../calls/route.ts";
import type { Element } from "../parse.ts";
import {
  type CompileContext,
  digitsAttribute,
  methodAttribute,
  readAttributes,
  urlAttribute,
} from "../verb.ts";

const isEvents = (text: string): boolean =>
  text.split(/[\s,]+/).every((event) => event === "" || callbackEvent.safeParse(event).success);

/** Attributes of `Client`, and of the other nouns besides. */
export const nounAttributes = {
  statusCallback: z.string().optional(),
  statusCallbackMethod: methodAttribute,
  statusCallbackEvent: z.string().refine(isEvents).optional(),
  /** Markup for the one called, before the two are joined. */
  url: z.string().optional(),
  method: methodAttribute,
};

/** Attributes of `Number`. */
export const numberAttributes = { ...nounAttributes, sendDigits: digitsAttribute };

/** Attributes of `Sip`: credentials for the host that it names. */
export const sipAttributes = {
  ...nounAttributes,
  username: z.string().max(128).optional(),
  password: z.string().max(128).optional(),
};

/** The nouns, or the text of Dial as one: with `@` a Sip address, starting `client` a Client. */
export function nounsOf({ children, text }: Element): Element[] {
  if (children.length > 0) return children;
  if (text === "") return [];
  const name = text.includes("@") ? "Sip" : text.startsWith("client") ? "Client" : "Number";
  return [{ name, attributes: {}, children: [], text: text.replace(/^client:/, "") }];
}

/**
 * The leg of a noun; null, with a note, if the noun has no valid address. A leg without a route
 * fails as soon as it is placed, and Dial's action is requested.
 */
export async function invite(
  noun: Element,
  from: string,
  context: CompileContext,
): Promise<Invitation | null> {
  const [text = "", query = ""] = noun.text.split(/\?(.*)/s);
  const address = addressOf(noun.name, text);
  if (address === null) {
    context.skip(`${noun.name} "${noun.text}" of Dial: it cannot be called`);
    return null;
  }
  const leg = context.newSid("CA");
  const { username, password, sendDigits, ...attributes } = attributesOf(noun, address, context);
  const credentials = username === undefined
    ? {}
    : { credentials: { userName: username, password: password ?? "" } };
  const routing = await context.route(address, { from, ...credentials });
  if ("fault" in routing) context.unroutable(routing);
  const { rateMicros, ...called } = "fault" in routing ? nowhere(address, from) : routing;
  const screening = urlAttribute(noun, "url", context);
  const serviceContext = {
    ...callbacksOf(noun, attributes, context),
    ...(screening === undefined ? {} : { url: screening, method: attributes.method }),
    ...(rateMicros === 0 ? {} : { rateMicros }),
  };
  return {
    leg,
    accountSid: context.call.accountSid,
    ...called,
    ...(query === "" ? {} : { headers: headersOf(query, "Dial", context) }),
    ...(sendDigits === undefined ? {} : { sendDigits }),
    ...(screening === undefined ? {} : { screened: true }),
    ...(Object.keys(serviceContext).length === 0 ? {} : { serviceContext }),
  };
}

type SipAttributes = z.infer<z.ZodObject<typeof sipAttributes>>;
type NumberAttributes = z.infer<z.ZodObject<typeof numberAttributes>>;

/** What the noun says, with what only the other nouns could say left out. */
function attributesOf(
  noun: Element,
  { kind }: Address,
  context: CompileContext,
): SipAttributes & NumberAttributes {
  const none = { username: undefined, password: undefined, sendDigits: undefined };
  if (kind === "sip") return { ...none, ...readAttributes(noun, sipAttributes, context) };
  const shape = kind === "number" ? numberAttributes : nounAttributes;
  return { ...none, ...readAttributes(noun, shape, context) };
}

/** The status callback of the leg; none where its URL is not valid. */
function callbacksOf(
  noun: Element,
  { statusCallbackMethod, statusCallbackEvent }: SipAttributes,
  context: CompileContext,
): Record<string, string | undefined> {
  const statusCallback = urlAttribute(noun, "statusCallback", context);
  return statusCallback === undefined
    ? {}
    : { statusCallback, statusCallbackMethod, statusCallbackEvent };
}

function addressOf(noun: string, text: string): Address | null {
  if (noun === "Client") return parseAddress(`client:${text}`);
  const address = /^(Number|Sip|Uri)$/.test(noun) ? parseAddress(text) : null;
  return (noun === "Number") === (address?.kind === "number") ? address : null;
}

/** A target without routes: the leg fails as soon as it is placed. */
function nowhere(address: Address, from: string): Routed {
  const to = textOf(address);
  return { target: { kind: "trunk", dialled: to, routes: [] }, to, from, rateMicros: 0 };
}

function textOf(address: Address): string {
  if (address.kind === "client") return `client:${address.login}`;
  return address.kind === "sip" ? sipUri(address) : address.dialled;
}

/** `?X-Name=value&…` of a noun: X- and User-to-User headers for the INVITE. */
export function headersOf(
  query: string,
  verb: string,
  context: CompileContext,
): Record<string, string> {
  const { headers, refused } = customHeaders(query);
  if (refused > 0) context.skip(`a header of ${verb} that is not X-… or holds CR`);
  return headers;
}
