import { z } from "zod";
import { limits } from "../../limits.ts";
import { actionAttribute, boolean, methodAttribute, verb, wholeNumber } from "../verb.ts";
import { conferenceStep } from "./conference.ts";
import { invite, nounsOf } from "./dial_nouns.ts";
import { queueStep } from "./queue.ts";

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
  async compile(element, { method, timeout, timeLimit, callerId, hangupOnStar }, context) {
    const from = callerId ?? context.call.from;
    const nouns = nounsOf(element);
    const action = actionAttribute(element, method, context);
    const room = nouns.find(({ name }) => name === "Conference" || name === "Queue");
    if (room !== undefined) {
      if (nouns.length > 1) context.skip(`nouns of Dial beside its ${room.name}`);
      const whole = { timeoutS: timeout, timeLimitS: timeLimit, hangupOnStar, action };
      return room.name === "Queue"
        ? queueStep(room, whole, context)
        : conferenceStep(room, whole, context);
    }
    if (nouns.length > limits.dialLegs) {
      context.skip(`nouns of Dial after the first ${limits.dialLegs}`);
    }
    const invited = nouns.slice(0, limits.dialLegs).map((noun) => invite(noun, from, context));
    const legs = (await Promise.all(invited)).filter((leg) => leg !== null);
    if (legs.length === 0) {
      context.skip("Dial: it names nobody who can be called");
      return action === undefined ? [] : [{ type: "next", action }];
    }
    return [{
      type: "dial",
      legs,
      media: "anchored",
      timeoutS: timeout,
      timeLimitS: timeLimit,
      hangupOnStar,
      ...(action === undefined ? {} : { action }),
    }];
  },
});
