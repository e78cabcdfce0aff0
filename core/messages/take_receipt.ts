import type { Ports } from "../ports/ports.ts";
import { failMessage } from "./fail_message.ts";
import { settle } from "./settle.ts";

/** What a carrier tells of a message that it took. */
export interface Receipt {
  carrierId: string;
  status: "sent" | "failed";
  /** Why it failed, in the carrier's words. */
  reason?: string;
}

/** Ends the sending of the message that a receipt is of; false when none waits for it. */
export async function takeReceipt(
  { carrierId, status, reason }: Receipt,
  ports: Ports,
): Promise<boolean> {
  const waiting = await ports.records.messages.group("carrierIds", carrierId);
  const sent = waiting.filter((message) => message.status === "sending");
  for (const message of sent) {
    const { accountSid, sid } = message;
    if (status === "sent") {
      const at = ports.now();
      await ports.records.messages.update(accountSid, sid, (now) => settle(now, { at }));
    } else {
      const detail = `the carrier reports ${reason ?? "a failure"}`;
      await failMessage(message, { fault: "messageUndelivered", detail }, ports);
    }
  }
  return sent.length > 0;
}
