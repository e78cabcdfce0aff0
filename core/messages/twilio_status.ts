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
 * The status of a message at Twilio's interface: `sent` once a carrier accepted it, `delivered` or
 * `undelivered` by its receipt, `scheduled` while it waits for its time.
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
