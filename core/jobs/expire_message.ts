import { exponential } from "../model/job.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import { type ArgsOf, expireMessage } from "../model/job_kinds.ts";
import { limits } from "../base/limits.ts";
import { failMessage } from "../messages/fail_message.ts";

const hours = limits.receiptWaitMs / 3_600_000;

/** Performs `expireMessage`. */
export const expireMessageHandler: JobHandler<ArgsOf<typeof expireMessage>> = handler(
  expireMessage,
  {
    maxAttempts: 12,
    retryMs: exponential(1_000, 600_000),

    async work({ accountSid, messageSid }, ports) {
      const message = await ports.records.messages.get(accountSid, messageSid);
      if (message?.status !== "sending") return;
      const detail =
        `the carrier accepted the message and sent no delivery receipt within ${hours} h`;
      await failMessage(message, { fault: "messageUndelivered", detail }, ports);
    },
  },
);
