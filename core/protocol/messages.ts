import { z } from "zod";
import { numberParameters, numberQuery, trunkLimits, trunkRoute } from "./trunks.ts";

/**
 * The part of the call-control protocol (`companion.ts`) about text messages (RFC 3428). A companion
 * reports the messages of Clients and trunks, and sends messages to the devices of a Client or to a
 * number on request of the service.
 */

export const messageLimits = {
  /** Time limit of a device's answer, and of a companion's answer for all devices. */
  deviceMs: 10_000,
  orderMs: 15_000,
  /** Of a Message-ID of a sender, in characters. */
  messageIdLength: 180,
  /** The same for a message that leaves by trunks, one after the other. */
  outwardMs: 60_000,
  /** Time after which no further server gets it: the service may no longer wait for the outcome. */
  outwardSearchMs: 40_000,
} as const;

/** Notifications that a sender may request (RFC 5438 §6.3). */
export const wantedNotification = z.enum([
  "processing",
  "positive-delivery",
  "negative-delivery",
  "display",
]);

/** A message whose sender requests notifications. */
export const notifiedMessage = z.object({
  /** The Message-ID that the sender gave it. */
  messageId: z.string().min(1).max(messageLimits.messageIdLength),
  wants: z.array(wantedNotification),
});

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
  notified: notifiedMessage.optional(),
  ...numberParameters,
});

/** A device of a Client notifies the sender of a message that was displayed (RFC 5438 §7.2.1.2). */
export const displayReport = z.object({
  accountSid: z.string(),
  clientSid: z.string(),
  login: z.string().min(1),
  /** The Request-URI: the sender of the message. */
  uri: z.string(),
  /** The Message-ID that the message came with: its Sid. */
  messageId: z.string(),
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
  /** The sender requests a display notification; devices with IMDN are asked for it. */
  wantsDisplay: z.boolean().optional(),
});

/** Disposition of a message in a notification (RFC 5438 §7.2.1). */
export const disposition = z.enum(["processed", "delivered", "failed", "displayed"]);

/** Notifies the devices of a Client with IMDN of the disposition of its message. */
export const notificationOrder = z.object({
  /** Of the notification: the same when it is sent again. */
  id: z.string(),
  login: z.string().min(1),
  /** The recipient of the message: `client:LOGIN`, or a number. */
  from: z.string(),
  messageId: z.string(),
  disposition,
  /** In ms since 1970. */
  at: z.number(),
  /** Why it failed, in words. */
  reason: z.string().optional(),
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
  /** The server that may have it, as an earlier outcome named it: no other one gets it. */
  heldBy: z.string().optional(),
});

/**
 * The final SIP status, 408 where a server did not answer. Null where surely no server has the message:
 * it was written to none, or each that it was written to answered with a failure of its own.
 */
export const outwardOutcome = z.object({
  status: z.number().int().nullable(),
  /** Server that may have accepted it without confirming that. */
  heldBy: z.string().optional(),
});

export type TrunkMessage = z.infer<typeof trunkMessage>;
export type OutwardOrder = z.infer<typeof outwardOrder>;
export type OutwardOutcome = z.infer<typeof outwardOutcome>;
export type MessageReport = z.infer<typeof messageReport>;
export type MessageAnswer = z.infer<typeof messageAnswer>;
export type DisplayReport = z.infer<typeof displayReport>;
export type Disposition = z.infer<typeof disposition>;
export type NotifiedMessage = z.infer<typeof notifiedMessage>;
export type NotificationOrder = z.infer<typeof notificationOrder>;
export type MessageOrder = z.infer<typeof messageOrder>;
