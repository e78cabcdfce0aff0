import { type FaultName, faults } from "../faults.ts";
import { deliverWebhook } from "../jobs/deliver_webhook.ts";
import type { Change } from "../ports.ts";
import type { Delivery } from "../providers.ts";
import type { Message } from "../resources/messages.ts";
import { rfc2822 } from "../wire.ts";

/**
 * Ends the sending of a message, with its callback and what its delivery made: sent, or failed with
 * a fault.
 */
export function settle(
  message: Message,
  { at, fault, delivery = {} }: { at: number; fault?: FaultName; delivery?: Delivery },
): Change<Message> {
  if (message.status !== "sending") return { record: message };
  const settled: Message = { ...message, dateUpdated: at };
  if (fault === undefined) Object.assign(settled, { status: "sent", dateSent: at });
  else Object.assign(settled, { status: "failed", errorCode: faults[fault].code });

  const { accountSid, statusCallback: url, statusCallbackMethod: method } = settled;
  if (url === null) return { ...delivery, record: settled };
  const params = callbackParameters(settled, at);
  const event = `message.${settled.status}`;
  const callback = deliverWebhook({ accountSid, callSid: null, url, method, params, event });
  return { ...delivery, record: settled, jobs: [...delivery.jobs ?? [], callback] };
}

/** What the status callback of a message carries, under both names that validators know. */
const callbackParameters = (message: Message, at: number): Record<string, string> => ({
  MessageSid: message.sid,
  SmsSid: message.sid,
  AccountSid: message.accountSid,
  From: message.from,
  To: message.to,
  MessageStatus: message.status,
  SmsStatus: message.status,
  ...(message.errorCode === null ? {} : { ErrorCode: String(message.errorCode) }),
  ApiVersion: message.apiVersion,
  Timestamp: rfc2822(at),
});
