import { effectiveStatus } from "../accounts/access.ts";
import { type Found, numberFor } from "../numbers/find_number.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { MessageRoute } from "../model/ports/providers.ts";
import type { Message } from "../model/resources/messages.ts";
import { arrivalOf } from "./arrival.ts";
import { received } from "./received.ts";

/**
 * The way to a number of this service, without leaving it: the message becomes one that its account
 * received, and the number's SmsUrl or application is requested.
 */
export const numberRoute = (ports: Ports): MessageRoute => ({
  reaches: async (message) => await numberOf(message, ports) !== null,

  async send(message) {
    const found = await numberOf(message, ports);
    if (found === null) throw new Error(`${message.to} is no number of this service any more`);
    const { number } = found;
    const taken = received(message, number, ports);
    const { also, jobs } = await arrivalOf(taken.record, number, ports);
    return { also: [taken, ...also], jobs, isDelivered: true };
  },
});

/**
 * The number that a message is for, as its sender may reach it; null of an account that is not
 * active.
 */
async function numberOf({ accountSid, to }: Message, ports: Ports): Promise<Found | null> {
  if (to.startsWith("client:")) return null;
  const sender = await ports.accounts.get(accountSid);
  const found = sender === null ? null : await numberFor(to, sender, ports);
  const isActive = found !== null &&
    await effectiveStatus(found.owner, ports.accounts) === "active";
  return isActive ? found : null;
}
