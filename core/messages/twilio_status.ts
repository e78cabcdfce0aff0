import { faults } from "../base/faults.ts";
import type { Message } from "../resources/messages.ts";

/** The statuses of a message in Twilio's interface. */
export type TwilioStatus =
  | "queued"
  | "sent"
  | "delivered"
  | "undelivered"
  | "failed"
  | "received";

/**
 * The status of a message in Twilio's words, of what its record knows: a carrier that took it makes it
 * `sent`, its receipt `delivered` or `undelivered`.
 */
export function twilioStatus(
  { status, carrierId, isDelivered, errorCode }: Pick<
    Message,
    "status" | "carrierId" | "isDelivered" | "errorCode"
  >,
): TwilioStatus {
  if (status === "received") return "received";
  if (status === "failed") {
    return errorCode === faults.messageUndelivered.code ? "undelivered" : "failed";
  }
  if (status === "sent") return isDelivered ? "delivered" : "sent";
  return carrierId ? "sent" : "queued";
}
