import type { DisplayReport, MessageAnswer } from "../protocol/messages.ts";
import { parseAddress } from "../model/values/address.ts";
import type { Ports } from "../model/ports/ports.ts";
import { notifying } from "./notification.ts";
import { activeAccountOf } from "./take_message.ts";

/**
 * Takes a notification that a Client displayed a message, and passes it on to its sender, once. 404
 * where the Client was sent no such message, or its sender did not ask; 403 where it may not send.
 */
export async function takeDisplay(
  { accountSid, clientSid, login, uri, messageId: sid }: DisplayReport,
  ports: Ports,
): Promise<MessageAnswer> {
  if (await activeAccountOf({ accountSid, clientSid, login }, ports) === null) {
    return { status: 403 };
  }
  const { clients, messages } = ports.records;
  const address = parseAddress(uri);
  const user = address?.kind === "sip"
    ? address.user
    : address?.kind === "number"
    ? address.dialled
    : null;
  const sender = user === null ? null : await clients.holder("login", user);
  const message = sender && await messages.get(sender.accountSid, sid);
  const isTheirs = message?.from === `client:${sender?.login}` && message.to === `client:${login}`;
  if (!message || !isTheirs || !message.notified) return { status: 404 };
  await messages.update(
    message.accountSid,
    sid,
    (now) =>
      now.notified === null || now.notified.isDisplayed ? { record: now } : {
        record: { ...now, notified: { ...now.notified, isDisplayed: true } },
        jobs: notifying(now, "displayed"),
      },
  );
  return { status: 200 };
}
