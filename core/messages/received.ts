import type { Ports } from "../model/ports/ports.ts";
import type { AlsoInserted } from "../model/record_types.ts";
import type { Message } from "../model/resources/messages.ts";

/** The record that a message is to the account which receives it. */
export function received(
  sent: Message,
  { accountSid, apiVersion }: Pick<Message, "accountSid" | "apiVersion">,
  { newSid, now }: Pick<Ports, "newSid" | "now">,
): AlsoInserted & { record: Message } {
  const at = now();
  const record: Message = {
    ...sent,
    sid: newSid("SM"),
    accountSid,
    apiVersion,
    dateCreated: at,
    dateUpdated: at,
    dateSent: at,
    status: "received",
    direction: "inbound",
    statusCallback: null,
    carrierId: null,
    notified: null,
    price: null,
    priceUnit: null,
  };
  return { into: "messages", record };
}
