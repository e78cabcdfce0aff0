import { z } from "zod";
import { numberParameters, numberQuery, trunkLimits, trunkRoute } from "./trunks.ts";

/**
 * The part of the call-control protocol (`companion.ts`) about text messages (RFC 3428). A companion
 * reports the messages of Clients and trunks, and sends messages to the devices of a Client or to a
 * number on request of the service.
 */

export const messageLimits = {
  /** How long a device may take to answer, and a companion to answer for all of them. */
  deviceMs: 10_000,
  orderMs: 15_000,
  /** The same for a message that leaves by trunks, one after the other. */
  outwardMs: 60_000,
} as const;

/** An authenticated Client sent a message. */
export const messageReport = z.object({
  accountSid: z.string(),
  clientSid: z.string(),
  login: z.string().min(1),
  /** The Request-URI, without its headers. */
  uri: z.string(),
  /** Text, never empty. */
  body: z.string().min(1),
  /** X- and User-to-User. */
  headers: z.record(z.string(), z.string()).optional(),
  ...numberParameters,
});

/** A trunk brought a message for a number. */
export const trunkMessage = z.object({
  ...numberQuery.shape,
  /** The From address, as of a call; `user` is empty where it has none. */
  from: z.object({ user: z.string(), host: z.string() }),
  /** The same when the trunk sends it again. */
  id: z.string(),
  body: z.string().min(1),
  headers: z.record(z.string(), z.string()),
  ...numberParameters,
});

/** The SIP status for the sender: 202 when the service accepted the message. */
export const messageAnswer = z.object({
  status: z.number().int().min(200).max(699),
  retryAfterS: z.number().int().positive().optional(),
});

/** Sends a message to every device that a Client has registered here. */
export const messageOrder = z.object({
  /** Of the Message: the same when it is sent again. */
  sid: z.string(),
  login: z.string().min(1),
  /** `client:LOGIN`, or a number. */
  from: z.string(),
  body: z.string(),
});

/** The final status of each device, 408 for none; nothing when there is no device. */
export const messageOutcome = z.object({ statuses: z.array(z.number().int()) });

/** Sends a message to a number elsewhere, by the first route that is there. */
export const outwardOrder = z.object({
  sid: z.string(),
  from: z.string(),
  to: z.string().min(1),
  body: z.string(),
  routes: z.array(trunkRoute).min(1).max(trunkLimits.routes),
});

/**
 * The final SIP status, 408 where a proxy did not answer. Null where no proxy could be reached, or all
 * answered 5xx: no proxy has accepted the message.
 */
export const outwardOutcome = z.object({ status: z.number().int().nullable() });

export type TrunkMessage = z.infer<typeof trunkMessage>;
export type OutwardOrder = z.infer<typeof outwardOrder>;
export type MessageReport = z.infer<typeof messageReport>;
export type MessageAnswer = z.infer<typeof messageAnswer>;
export type MessageOrder = z.infer<typeof messageOrder>;
