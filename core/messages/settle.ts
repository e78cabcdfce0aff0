import { type FaultName, faults } from "../base/faults.ts";
import { deliverWebhook } from "../webhooks/deliver.ts";
import { expireMessage } from "../model/job_kinds.ts";
import { limits } from "../base/limits.ts";
import type { Change } from "../model/store.ts";
import type { Delivery } from "../model/ports/providers.ts";
import type { Message } from "../model/resources/messages.ts";
import { notifying } from "./notification.ts";
import { money } from "../usage/summarize.ts";
import { twilioStatus } from "./twilio_status.ts";
import { rfc2822 } from "../base/wire.ts";

/** Outcome of the sending of a message. */
export interface Sending {
  at: number;
  /** Reason of the failure. */
  fault?: FaultName;
  delivery?: Delivery;
  /** Price, where a carrier accepted it now, in millionths. */
  priceMicros?: number;
  /** Currency of the price (ISO 4217); null, and by default, none. */
  currency?: string | null;
}

/**
 * Ends the sending of a message, with its callback, its notification and the records of its delivery: sent,
 * or failed with a fault. A message with a carrier's receipt to come waits for it, and fails without it.
 */
export function settle(message: Message, sending: Sending): Change<Message> {
  if (message.status !== "sending" && message.status !== "queued") return { record: message };
  const { at, fault, delivery: { carrierId, isDelivered, ...made } = {}, priceMicros } = sending;
  const { currency = null } = sending;
  const moved: Message = { ...message, carrierId: null, dateUpdated: at };
  const charged = priceMicros === undefined ? {} : charge(moved, { priceMicros, currency }, at);
  if (carrierId !== undefined) {
    const { accountSid, sid: messageSid } = message;
    const expiry = expireMessage({ accountSid, messageSid }, at + limits.receiptWaitMs);
    const record = { ...moved, carrierId };
    // Twilio's interface has a callback for the carrier's acceptance and one for its receipt.
    const accepted = moved.apiVersion === limits.twilioApiVersion ? callback(record, at) : [];
    const jobs = [...made.jobs ?? [], ...accepted, ...notifying(record), expiry];
    return { ...made, ...charged, record, jobs };
  }
  if (fault === undefined) {
    Object.assign(moved, { status: "sent", dateSent: moved.dateSent ?? at });
    if (message.carrierId || isDelivered) moved.isDelivered = true; // Its receipt was awaited.
  } else Object.assign(moved, { status: "failed", errorCode: faults[fault].code });
  const jobs = [...made.jobs ?? [], ...callback(moved, at), ...notifying(moved)];
  return { ...made, ...charged, record: moved, jobs };
}

/** Sets price and DateSent of a message that a carrier accepted, whatever its receipt says. */
function charge(
  message: Message,
  { priceMicros, currency }: { priceMicros: number; currency: string | null },
  at: number,
): Pick<Change<Message>, "charges"> {
  Object.assign(message, { dateSent: at, price: money(priceMicros), priceUnit: currency });
  return { charges: [{ category: "sms", priceMicros, usage: 1, at }] };
}

function callback(message: Message, at: number) {
  const { accountSid, sid: series, statusCallback: url, statusCallbackMethod: method } = message;
  const { requestId } = message; // A receipt may come long after the request.
  if (url === null) return [];
  const params = callbackParameters(message, at);
  const event = `message.${shownStatus(message)}`;
  const about = { accountSid, callSid: null, series, params, event, requestId };
  return [deliverWebhook({ ...about, url, method })];
}

/** Status at the interface that sent the message. */
const shownStatus = (message: Message): string =>
  message.apiVersion === limits.twilioApiVersion ? twilioStatus(message) : message.status;

/** Parameters of a message's status callback, under the names of both signature validators. */
const callbackParameters = (message: Message, at: number): Record<string, string> => ({
  MessageSid: message.sid,
  SmsSid: message.sid,
  AccountSid: message.accountSid,
  From: message.from,
  To: message.to,
  MessageStatus: shownStatus(message),
  SmsStatus: shownStatus(message),
  ...(message.errorCode === null ? {} : { ErrorCode: String(message.errorCode) }),
  ApiVersion: message.apiVersion,
  Timestamp: rfc2822(at),
});
