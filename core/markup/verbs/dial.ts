import { z } from "zod";
import type { Invitation, Step } from "../../bridge.ts";
import { targetOf } from "../../calls/address.ts";
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
  compile(element, { action, method, timeout, timeLimit, callerId, hangupOnStar }, context) {
    const from = callerId ?? context.call.from;
    const legs = nounsOf(element).map((noun) => invitationOf(noun, from, context))
      .filter((leg) => leg !== null);
    if (legs.length > limits.dialLegs) {
      context.skip(`nouns of Dial after the first ${limits.dialLegs}`);
    }
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
      legs: legs.slice(0, limits.dialLegs),
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

function invitationOf(noun: Element, from: string, context: CompileContext): Invitation | null {
  const [address = "", query = ""] = noun.text.split(/\?(.*)/s);
  const to = noun.name === "Client" ? `client:${address}` : address;
  const target = /^(Client|Sip|Uri)$/.test(noun.name) ? targetOf(to, context.sipDomain) : null;
  if (target === null) {
    context.skip(`${noun.name} "${noun.text}" of Dial: it cannot be called`);
    return null;
  }
  const attributes = readAttributes(noun, nounAttributes, context);
  const callback = attributes.statusCallback && resolveUrl(attributes.statusCallback, context);
  return {
    leg: context.newSid("CA"),
    accountSid: context.call.accountSid,
    from,
    to: `client:${target.login}`,
    target,
    ...(query === "" ? {} : { headers: customHeaders(query, context) }),
    ...(callback ? { memo: { ...attributes, statusCallback: callback } } : {}),
  };
}

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
