import { standing } from "../access.ts";
import { type Found, numberFor } from "../gateways/find_number.ts";
import { deliverWebhook } from "../jobs/deliver_webhook.ts";
import { notification } from "../notify.ts";
import type { Ports } from "../ports.ts";
import type { MessageRoute } from "../providers.ts";
import type { IncomingPhoneNumber } from "../resources/incoming_phone_numbers.ts";
import type { Message } from "../resources/messages.ts";
import type { Signable } from "../signature.ts";
import { received } from "./received.ts";

/**
 * The way to a number of this service, without leaving it: the message becomes one that its account
 * received, and the number's SmsUrl or application is asked.
 */
export const numberRoute = (ports: Ports): MessageRoute => ({
  reaches: async (message) => await numberOf(message, ports) !== null,

  async send(message) {
    const found = await numberOf(message, ports);
    if (found === null) throw new Error(`${message.to} is no number of this service any more`);
    const { number } = found;
    const taken = received(message, number.accountSid, ports);
    const source = await smsMarkup(number, ports);
    if (source !== null) {
      const { accountSid } = number;
      const params = smsParameters(taken.record);
      const event = "message.received";
      const ask = deliverWebhook({ accountSid, callSid: null, ...source, params, event });
      return { also: [taken], jobs: [ask] };
    }
    const notice = notification({
      accountSid: number.accountSid,
      callSid: null,
      fault: "numberWithoutSmsUrl",
      detail: `${taken.record.sid}: ${number.phoneNumber} has no SmsUrl`,
      level: "error",
    }, ports);
    return { also: [taken, notice] };
  },
});

/** The number that a message is for, as its sender may reach it; null of an account that is not active. */
async function numberOf({ accountSid, to }: Message, ports: Ports): Promise<Found | null> {
  if (to.startsWith("client:")) return null;
  const sender = await ports.accounts.get(accountSid);
  const found = sender === null ? null : await numberFor(to, sender, ports);
  const isActive = found !== null && await standing(found.owner, ports.accounts) === "active";
  return isActive ? found : null;
}

/** Where the markup of a number's messages is: at the application, where there is one. */
async function smsMarkup(
  { accountSid, smsApplicationSid, smsUrl, smsMethod }: IncomingPhoneNumber,
  { records }: Ports,
): Promise<Pick<Signable, "url" | "method"> | null> {
  if (smsApplicationSid === null) {
    return smsUrl === null ? null : { url: smsUrl, method: smsMethod };
  }
  const application = await records.applications.get(accountSid, smsApplicationSid);
  return application?.rcmlUrl ? { url: application.rcmlUrl, method: "POST" } : null;
}

/** What a request for the markup of a message tells. */
const smsParameters = (message: Message): Record<string, string> => ({
  SmsSid: message.sid,
  MessageSid: message.sid,
  AccountSid: message.accountSid,
  From: message.from,
  To: message.to,
  Body: message.body,
  ApiVersion: message.apiVersion,
  NumMedia: "0",
});
