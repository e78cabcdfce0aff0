import { z } from "zod";
import { exponential, job, type JobKind } from "../job.ts";
import { limits } from "../limits.ts";
import { failMessage } from "../messages/fail_message.ts";

const args = z.object({ accountSid: z.string(), messageSid: z.string() });

const hours = limits.receiptWaitMs / 3_600_000;

/** Fails a message whose carrier took it and told no more of it, with a Notification. */
export const expireMessage: JobKind<z.infer<typeof args>> = job({
  kind: "message.expire",
  args,
  lane: () => "receipts",
  maxAttempts: 12,
  retryMs: exponential(1_000, 600_000),

  async work({ accountSid, messageSid }, ports) {
    const message = await ports.records.messages.get(accountSid, messageSid);
    if (message?.status !== "sending") return;
    const detail = `the carrier took it, and told within ${hours} h no more of it`;
    await failMessage(message, { fault: "messageUndelivered", detail }, ports);
  },
});
