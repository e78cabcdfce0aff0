import { z } from "zod";
import { action } from "./action.ts";

/** The part of the call-control protocol (`companion.ts`) that is about USSD dialogues (3GPP TS 24.390). */

/** A text that a USSD dialogue carries, and its language where it is known. */
export const ussdText = z.object({ text: z.string(), language: z.string().optional() });

/**
 * Shows a text on a leg that is a USSD dialogue, answering it first. With `collect` the reply is
 * waited for: a `collected` report, or without an action, digits for the next action that is handed
 * back. Without `collect` the dialogue ends with the text.
 */
export const ussdStep = z.object({
  type: z.literal("ussd"),
  message: ussdText,
  collect: z.boolean(),
  /** Its text went with the INVITE of the leg. */
  invited: z.boolean().optional(),
  action: action.optional(),
});

/** What the INVITE of a leg shows that is a USSD dialogue; only a trunk takes one. */
export const ussdInvitation = z.object({ message: ussdText, collect: z.boolean() });

/** What was replied to a `ussd`. */
export const collectedEvent = z.object({
  type: z.literal("collected"),
  text: z.string(),
  action,
});

export type UssdText = z.infer<typeof ussdText>;
export type UssdStep = z.infer<typeof ussdStep>;
