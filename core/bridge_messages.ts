import { z } from "zod";

/**
 * The part of the bridge (`bridge.ts`) that is about text messages (RFC 3428). A companion reports
 * what a Client sends, and is ordered to send to the devices of one.
 */

export const messageLimits = {
  /** How long a device may take to answer, and a companion to answer for all of them. */
  deviceMs: 10_000,
  orderMs: 15_000,
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
});

/** What the Client is answered: 202 when the message was taken and goes on its way. */
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

export type MessageReport = z.infer<typeof messageReport>;
export type MessageAnswer = z.infer<typeof messageAnswer>;
export type MessageOrder = z.infer<typeof messageOrder>;

/** Paths of signed POSTs, as those of `bridgePaths`. */
export const messagePaths = {
  /** On the service. */
  report: "/bridge/message",
  /** On the companion. */
  order: "/message",
} as const;
