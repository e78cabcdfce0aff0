import { faults } from "../base/faults.ts";
import { notifySender } from "../model/job_kinds.ts";
import type { Disposition } from "../protocol/messages.ts";
import type { Message } from "../model/resources/messages.ts";

/*
 * Senders are notified of the outcome of their messages by Instant Message Disposition Notifications (IMDN,
 * RFC 5438): the standard way over SIP, which the softphone and other user agents support, and which needs
 * no credentials but the registration. The service is a gateway between the sender and carriers, numbers
 * and devices. So it makes the notifications of delivery itself, by its record (RFC 5438 §10): a device of
 * any make has a message delivered by answering 200 (RFC 3428 §7). Only the recipient knows that a message
 * was displayed: devices with IMDN are asked, and their answers are passed on.
 *
 * A WebSocket of the service for the softphone, or credentials for the REST interface in its page, were
 * refused. The sender asks in CPIM (RFC 3862). 200 of a device is a delivery, 202 is not. The Message-ID
 * towards the recipient is the Sid of the message, so that `displayed` finds its record. CPIM is sent only
 * to devices that have sent some, or whose Contact has the feature tag of pager mode messages (3GPP TS
 * 24.247): others may show its headers. A sender that is away for more than two minutes is not notified.
 */

/** The notification that a disposition needs to be asked for (RFC 5438 §6.3). */
const wanted = {
  processed: "processing",
  delivered: "positive-delivery",
  failed: "negative-delivery",
  displayed: "display",
} as const;

/** True when the sender asked for the notification of a disposition. */
const wants = ({ notified }: Message, disposition: Disposition): boolean =>
  notified?.wants.includes(wanted[disposition]) ?? false;

/** The disposition of a message by its record; undefined while there is none. */
function dispositionOf(message: Message): Disposition | undefined {
  const { status, carrierId, isDelivered } = message;
  if (status === "failed") return "failed";
  if (status === "sent") return isDelivered ? "delivered" : "processed";
  return carrierId ? "processed" : undefined;
}

/** The job that notifies the sender of a message of its disposition, where the sender asked for it. */
export function notifying(message: Message, disposition = dispositionOf(message)) {
  if (disposition === undefined || !wants(message, disposition)) return [];
  const { accountSid, sid: messageSid } = message;
  return [notifySender({ accountSid, messageSid, disposition })];
}

/** Reason of a failed message, for its sender. */
export function failureOf({ errorCode }: Message): string | undefined {
  const fault = Object.values(faults).find(({ code }) => code === errorCode);
  return fault && `${fault.message} (${fault.code})`;
}
