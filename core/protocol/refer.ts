import { z } from "zod";
import { action } from "./action.ts";

/**
 * The part of the call-control protocol (`companion.ts`) about REFER, which requests a call from
 * the peer.
 */

/**
 * Sends the peer a REFER (RFC 3515): the peer places a call of its own and leaves. The step ends when
 * the peer has reported the outcome (NOTIFY), has left, or has refused.
 */
export const referStep = z.object({
  type: z.literal("refer"),
  /** A `sip:` or `sips:` URI, or a number. */
  to: z.string().min(1),
  /** X- and User-to-User headers for the INVITE of the peer. */
  headers: z.record(z.string(), z.string()).optional(),
  /**
   * True for a target beyond this service: a trunk gets a REFER only where it is a Gateway of the leg's own
   * account.
   */
  leaves: z.boolean(),
  action: action.optional(),
});

/** The outcome of a `refer`. */
export const referredEvent = z.object({
  type: z.literal("referred"),
  to: z.string(),
  /** SIP status of the REFER where it was refused, else of the new call; absent where unknown. */
  sipStatus: z.number().int().optional(),
  action: action.optional(),
});

export type ReferStep = z.infer<typeof referStep>;
