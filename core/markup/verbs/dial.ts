import { z } from "zod";
import type { Invitation, Step, Target } from "../../bridge.ts";
import { type Address, parseAddress, sipUri } from "../../calls/address.ts";
import type { Routed, Unroutable } from "../../calls/route.ts";
import { faults } from "../../faults.ts";
import { limits } from "../../limits.ts";
import type { Element } from "../parse.ts";
import {
  boolean,
  type CompileContext,
  methodAttribute,
  readAttributes,
  resolveUrl,
  verb,
  wholeNumber,
} from "../verb.ts";

const nounAttributes = {
  statusCallback: z.string().optional(),
  statusCallbackMethod: methodAttribute,
  statusCallbackEvent: z.string().optional(),
};

/** For the host of a SIP address that asks who calls. */
const sipAttributes = {
  ...nounAttributes,
  username: z.string().max(128).optional(),
  password: z.string().max(128).optional(),
};

/** Calls others and joins the first who answers with the caller. */
export const dial = verb({
  name: "Dial",
  attributes: {
    action: z.string().optional(),
    method: methodAttribute,
    timeout: wholeNumber({ min: 1, max: limits.ringTimeoutMaxS, fallback: limits.dialTimeoutS }),
    timeLimit: wholeNumber({
      min: 1,
      max: limits.dialTimeLimitS,
      fallback: limits.dialTimeLimitS,
    }),
    callerId: z.string().max(255).optional(),
    hangupOnStar: boolean(false),
  },
  answers: false,
  async compile(element, { action, method, timeout, timeLimit, callerId, hangupOnStar }, context) {
    const from = callerId ?? context.call.from;
    const nouns = nounsOf(element);
    if (nouns.length > limits.dialLegs) {
      context.skip(`nouns of Dial after the first ${limits.dialLegs}`);
    }
    const invited = nouns.slice(0, limits.dialLegs).map((noun) => invite(noun, from, context));
    const legs = (await Promise.all(invited)).filter((leg) => leg !== null);
    const url = action === undefined ? null : resolveUrl(action, context);
    const next: Step[] = url === null
      ? []
      : [{ type: "next", action: { url, method, hops: context.hops } }];
    if (legs.length === 0) {
      context.skip("Dial: it names nobody who can be called");
      return next;
    }
    return [{
      type: "dial",
      legs,
      media: "anchored",
      timeoutS: timeout,
      timeLimitS: timeLimit,
      hangupOnStar,
      ...(url === null ? {} : { action: { url, method, hops: context.hops } }),
    }];
  },
});

/** The nouns, or the text of Dial as one: with `@` a Sip address, starting `client` a Client. */
function nounsOf({ children, text }: Element): Element[] {
  if (children.length > 0) return children;
  if (text === "") return [];
  const name = text.includes("@") ? "Sip" : text.startsWith("client") ? "Client" : "Number";
  return [{ name, attributes: {}, children: [], text: text.replace(/^client:/, "") }];
}

/** The leg of a noun. One that can go nowhere has no routes: it fails, as Dial's action is told. */
async function invite(
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
  const { username, password = "", ...callbacks } = address.kind === "sip"
    ? readAttributes(noun, sipAttributes, context)
    : { ...readAttributes(noun, nounAttributes, context), username: undefined };
  const credentials = username === undefined
    ? {}
    : { credentials: { userName: username, password } };
  const routing = await context.route(address, { from, ...credentials });
  if ("fault" in routing) context.skip(`${noun.name} "${noun.text}" of Dial: ${reason(routing)}`);
  const { rateMicros, ...called } = "fault" in routing ? nowhere(address, from) : routing;
  const callback = callbacks.statusCallback && resolveUrl(callbacks.statusCallback, context);
  const memo = {
    ...(callback ? { ...callbacks, statusCallback: callback } : {}),
    ...(rateMicros === 0 ? {} : { rateMicros }),
  };
  return {
    leg,
    accountSid: context.call.accountSid,
    ...called,
    ...(query === "" ? {} : { headers: customHeaders(query, context) }),
    ...(Object.keys(memo).length === 0 ? {} : { memo }),
  };
}

function addressOf(noun: string, text: string): Address | null {
  if (noun === "Client") return parseAddress(`client:${text}`);
  const address = /^(Number|Sip|Uri)$/.test(noun) ? parseAddress(text) : null;
  return (noun === "Number") === (address?.kind === "number") ? address : null;
}

/** A call that fails as soon as it is placed. */
function nowhere(address: Address, from: string): Routed {
  const to = textOf(address);
  const target: Target = address.kind === "client"
    ? address
    : { kind: "trunk", dialled: to, routes: [] };
  return { target, to, from, rateMicros: 0 };
}

function textOf(address: Address): string {
  if (address.kind === "client") return `client:${address.login}`;
  return address.kind === "sip" ? sipUri(address) : address.dialled;
}

const reason = ({ fault, detail }: Unroutable): string => `${faults[fault].message}: ${detail}`;

/** `?X-Name=value&…` of a noun: X- and User-to-User headers for the INVITE. */
function customHeaders(query: string, context: CompileContext): Record<string, string> {
  const headers = [...new URLSearchParams(query)];
  const allowed = headers.filter(([name, value]) =>
    // deno-lint-ignore no-control-regex
    /^(X-[\w\-.]{1,60}|User-to-User)$/i.test(name) && !/[\x00-\x1f\x7f]/.test(value)
  );
  if (allowed.length < headers.length) context.skip("a header of Dial that is not X-… or holds CR");
  return Object.fromEntries(allowed);
}
