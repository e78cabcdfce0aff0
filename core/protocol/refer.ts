import { z } from "zod";
import { action } from "./action.ts";

/** The part of the call-control protocol (`companion.ts`) that is about asking a peer to call somebody else. */

/**
 * Sends the peer a REFER (RFC 3515), which brings it to call somebody else by itself and leave. It
 * ends when the peer has told what became of that, has left, or refused.
 */
export const referStep = z.object({
  type: z.literal("refer"),
  /** A `sip:` or `sips:` URI, or a number. */
  to: z.string().min(1),
  /** X- and User-to-User headers for the INVITE of the peer. */
  headers: z.record(z.string(), z.string()).optional(),
  /** Beyond this service: a trunk is asked only where it is a Gateway of the leg's own account. */
  leaves: z.boolean(),
  action: action.optional(),
});

/** What became of a `refer`. */
export const referredEvent = z.object({
  type: z.literal("referred"),
  to: z.string(),
  /** Of the REFER where it was refused, else of the new call; absent where it is not known. */
  sipStatus: z.number().int().optional(),
  action: action.optional(),
});

export type ReferStep = z.infer<typeof referStep>;
