import { z } from "zod";
import type { Step } from "../../bridge_script.ts";
import { limits } from "../../limits.ts";
import { boolean, methodAttribute, resolveUrl, verb, wholeNumber } from "../verb.ts";
import { invite, nounsOf } from "./dial_nouns.ts";

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
