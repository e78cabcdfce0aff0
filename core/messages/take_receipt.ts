import type { Ports } from "../model/ports/ports.ts";
import { failMessage } from "./fail_message.ts";
import { settle } from "./settle.ts";

/** A delivery receipt of a carrier. */
export interface Receipt {
  carrierId: string;
  status: "sent" | "failed";
  /** Reason of the failure, in the carrier's words. */
  reason?: string;
}

/** Settles the message of a receipt; false when no message waits for it. */
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
