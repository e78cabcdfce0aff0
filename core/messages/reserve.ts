import { isTest } from "../accounts/access.ts";
import { type NotAllowed, refusedDestination } from "../numbers/destination.ts";
import { numberFor } from "../numbers/find_number.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Account } from "../model/resources/accounts.ts";
import type { Message } from "../model/resources/messages.ts";
import { segmentCount } from "./segments.ts";

/** Price of a message that leaves the service, in millionths: that of each part that is sent. */
export function priceOf(
  { to, body }: Pick<Message, "to" | "body">,
  { settings }: Pick<Ports, "settings">,
): number {
  return settings.smsRateMicros(to) * segmentCount(body);
}

/** Amount of a message that the limits of money count until it is sent. */
export const reserved = (
  message: Pick<Message, "to" | "body">,
  ports: Pick<Ports, "settings">,
): Pick<Message, "reservedMicros"> => ({
  reservedMicros: message.to.startsWith("client:") ? 0 : priceOf(message, ports),
});

/** The refusal of a number by the limits of an account; null where the message may leave, or stays here. */
export async function refusedRecipient(
  to: string,
  account: Pick<Account, "sid" | "type">,
  ports: Ports,
): Promise<NotAllowed | null> {
  if (isTest(account) || to.startsWith("client:")) return null;
  const refused = await refusedDestination(to, account, ports);
  // The operator's own prefixes leave the message without a route, which says so.
  if (refused === null || refused.fault === "destinationNotAllowed") return null;
  const whole = await ports.accounts.get(account.sid);
  if (whole !== null && await numberFor(to, whole, ports) !== null) return null;
  return refused;
}
