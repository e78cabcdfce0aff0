import { faults } from "../base/faults.ts";
import type { Message } from "../model/resources/messages.ts";

/** The statuses of a message in Twilio's interface. */
export type TwilioStatus =
  | "scheduled"
  | "queued"
  | "sent"
  | "delivered"
  | "undelivered"
  | "failed"
  | "canceled"
  | "received";

/**
 * The status of a message in Twilio's words, of what its record knows: a carrier that took it makes it
 * `sent`, its receipt `delivered` or `undelivered`; one that waits for its time is `scheduled`.
 */
export function twilioStatus(
  { status, carrierId, isDelivered, errorCode }: Pick<
    Message,
    "status" | "carrierId" | "isDelivered" | "errorCode"
  >,
): TwilioStatus {
  if (status === "received") return "received";
  if (status === "queued") return "scheduled";
  if (status === "failed") {
    if (errorCode === faults.messageCanceled.code) return "canceled";
    return errorCode === faults.messageUndelivered.code ? "undelivered" : "failed";
  }
  if (status === "sent") return isDelivered ? "delivered" : "sent";
  return carrierId ? "sent" : "queued";
}
