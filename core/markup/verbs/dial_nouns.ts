import { z } from "zod";
import type { Invitation } from "../../protocol/script.ts";
import { type Address, parseAddress, sipUri } from "../../model/values/address.ts";
import { callbackEvent } from "../../model/values/status.ts";
import { customHeaders } from "../../model/values/custom_headers.ts";
import type { Routed } from "../../calls/route.ts";
import { machineDetectionAttributes, machineDetectionOf } from "../machine_detection.ts";
import { parameterAttributes } from "../stream.ts";
import type { Element } from "../parse.ts";
import { refusedElements, skippedElement } from "../refused.ts";
import {
  type CompileContext,
  digitsAttribute,
  hasTwilioDefaults,
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
export const numberAttributes = {
  ...nounAttributes,
  sendDigits: digitsAttribute,
  ...machineDetectionAttributes,
};

/** Attributes of `Sip`: credentials for the host that it names. */
export const sipAttributes = {
  ...nounAttributes,
  username: z.string().max(128).optional(),
  password: z.string().max(128).optional(),
  ...machineDetectionAttributes,
};

/** Attributes of `Uri` in Sip: credentials, as Sip has them. */
export const uriAttributes = {
  username: z.string().max(128).optional(),
  password: z.string().max(128).optional(),
};

/** The nouns, or the text of Dial as one: with `@` a Sip address, starting `client` a Client. */
export function nounsOf({ children, text }: Element): readonly Element[] {
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
  const { text, query, login } = calleeOf(noun, context);
  const address = addressOf(noun.name, text);
  if (address === null) {
    const reason = refusedElements[noun.name];
    context.skip(
      reason === undefined
        ? `${noun.name} "${text}" of Dial: it cannot be called`
        : `${noun.name} in Dial: ${reason}`,
    );
    return null;
  }
  const leg = context.newSid("CA");
  const { sendDigits, detection, ...attributes } = attributesOf(noun, address, context);
  const { username = attributes.username, password = attributes.password } = login;
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
    ...(hasTwilioDefaults(context) ? { apiVersion: context.call.apiVersion } : {}),
  };
  return {
    leg,
    accountSid: context.call.accountSid,
    ...called,
    ...(query === "" ? {} : { headers: headersOf(query, "Dial", context) }),
    ...(sendDigits === undefined ? {} : { sendDigits }),
    ...(screening === undefined ? {} : { screened: true }),
    ...(detection ? { machineDetection: detection } : {}),
    ...(Object.keys(serviceContext).length === 0 ? {} : { serviceContext }),
  };
}

type NounAttributes = z.infer<z.ZodObject<typeof nounAttributes>>;

interface Callee {
  text: string;
  /** Headers for the INVITE, as a query. */
  query: string;
  /** Credentials of a `Uri`. */
  login: { username?: string | undefined; password?: string | undefined };
}

/**
 * The callee of a noun: its text, with headers behind a `?`, or what stands in its elements: Identity
 * and Parameters of a Client, Uri and Headers of a Sip.
 */
function calleeOf(noun: Element, context: CompileContext): Callee {
  const [text = "", query = ""] = noun.text.split(/\?(.*)/s);
  const callee: Callee = { text, query, login: {} };
  if (noun.children.length === 0 || !/^(Client|Sip)$/.test(noun.name)) return callee;
  const headers = new URLSearchParams();
  for (const child of noun.children) readInside(noun.name, child, { callee, headers, context });
  const added = headers.toString().replaceAll("+", "%20");
  return { ...callee, query: [callee.query, added].filter((one) => one !== "").join("&") };
}

/** Takes an element inside Client or Sip; others are noted. */
function readInside(
  parent: string,
  child: Element,
  { callee, headers, context }: {
    callee: Callee;
    headers: URLSearchParams;
    context: CompileContext;
  },
): void {
  const addHeader = (element: Element) => {
    const { name = "", value = "" } = readAttributes(element, parameterAttributes, context);
    headers.append(/^(x-|user-to-user$)/i.test(name) ? name : `X-${name}`, value);
  };
  switch (`${parent} ${child.name}`) {
    case "Client Identity":
      readAttributes(child, {}, context);
      callee.text = child.text;
      return;
    case "Client Parameter":
      return addHeader(child);
    case "Sip Uri": {
      callee.login = readAttributes(child, uriAttributes, context);
      const [text = "", query = ""] = child.text.split(/\?(.*)/s);
      Object.assign(callee, { text, query });
      return;
    }
    case "Sip Headers":
      readAttributes(child, {}, context, { hasElements: true });
      for (const header of child.children) {
        if (header.name === "Header") addHeader(header);
        else context.skip(skippedElement(header.name, "Headers"));
      }
      return;
    default:
      context.skip(skippedElement(child.name, parent));
  }
}

/** The attributes of the noun, without those of other nouns. */
function attributesOf(noun: Element, { kind }: Address, context: CompileContext) {
  const none = { username: undefined, password: undefined, sendDigits: undefined };
  if (kind === "client") {
    const hasElements = noun.name === "Client";
    const read = readAttributes(noun, nounAttributes, context, { hasElements });
    return { ...none, ...read, detection: null };
  }
  const hasElements = noun.name === "Sip";
  const read = kind === "sip"
    ? { ...none, ...readAttributes(noun, sipAttributes, context, { hasElements }) }
    : { ...none, ...readAttributes(noun, numberAttributes, context) };
  return { ...read, detection: machineDetectionOf(noun, read, context) };
}

/** The status callback of the leg; none where its URL is not valid. */
function callbacksOf(
  noun: Element,
  { statusCallbackMethod, statusCallbackEvent }: NounAttributes,
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
