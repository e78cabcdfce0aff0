import { failMessage } from "./fail_message.ts";
import { exponential } from "../model/job.ts";
import { type ArgsOf, lapseMessage } from "../model/job_kinds.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";

/** Performs `lapseMessage`. */
export const lapseMessageHandler: JobHandler<ArgsOf<typeof lapseMessage>> = handler(lapseMessage, {
  maxAttempts: 50,
  retryMs: exponential(1_000, 600_000),

  async work({ accountSid, messageSid }, ports) {
    const message = await ports.records.messages.get(accountSid, messageSid);
    const isWaiting = message?.status === "sending" || message?.status === "queued";
    if (!isWaiting || message.carrierId) return; // The carrier has it.
    const detail = `it was not sent within ${message.validityPeriod} s`;
    await failMessage(message, { fault: "messageExpired", detail }, ports);
  },
});
