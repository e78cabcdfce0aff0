import { z } from "zod";

/**
 * Order of a markup document to the service beside its call or message, as the document says it.
 * `core/messages/perform_action.ts` checks it when it performs it.
 */
export const order = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("sms"),
    from: z.string(),
    to: z.string(),
    body: z.string(),
    statusCallback: z.string().optional(),
    statusCallbackMethod: z.enum(["GET", "POST"]),
    /** Said by `Message`: it may be long, and its action gets MessageSid and MessageStatus too. */
    isMessage: z.boolean().optional(),
    /** Of Twilio's interface, where that is the one of the call or message. */
    apiVersion: z.string().optional(),
  }),
  z.object({
    kind: z.literal("email"),
    from: z.string(),
    to: z.string(),
    cc: z.string().optional(),
    bcc: z.string().optional(),
    subject: z.string(),
    body: z.string(),
  }),
  z.object({
    kind: z.literal("geolocation"),
    type: z.enum(["Immediate", "Notification"]),
    deviceIdentifier: z.string(),
    statusCallback: z.string(),
    /** Of a Notification, by field of the resource. */
    geofence: z.record(z.string(), z.string()),
  }),
]);

export type Order = z.infer<typeof order>;
export type OrderOf<K extends Order["kind"]> = Extract<Order, { kind: K }>;
