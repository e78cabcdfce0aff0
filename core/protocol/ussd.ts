import { z } from "zod";
import { action } from "./action.ts";

/**
 * The part of the call-control protocol (`companion.ts`) that is about USSD dialogues (3GPP TS
 * 24.390).
 */

/** Text of a USSD dialogue, and its language if it is given. */
export const ussdText = z.object({ text: z.string(), language: z.string().optional() });

/**
 * Answers a leg that is a USSD dialogue and shows a text on it. With `collect` the companion waits for
 * the reply and sends a `collected` report; without an action, the reply becomes the digits of the next
 * action. Without `collect` the dialogue ends with the text.
 */
export const ussdStep = z.object({
  type: z.literal("ussd"),
  message: ussdText,
  collect: z.boolean(),
  /** Its text went with the INVITE of the leg. */
  invited: z.boolean().optional(),
  action: action.optional(),
});

/** USSD dialogue as the INVITE of a leg shows it; only a trunk takes one. */
export const ussdInvitation = z.object({ message: ussdText, collect: z.boolean() });

/** The reply to a `ussd`. */
export const collectedEvent = z.object({
  type: z.literal("collected"),
  text: z.string(),
  action,
});

export type UssdText = z.infer<typeof ussdText>;
export type UssdStep = z.infer<typeof ussdStep>;
