import { effectiveStatus } from "../accounts/access.ts";
import { failMessage } from "./fail_message.ts";
import { exponential } from "../model/job.ts";
import { type ArgsOf, releaseMessage, sendMessage } from "../model/job_kinds.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";

/** Performs `releaseMessage`. */
export const releaseMessageHandler: JobHandler<ArgsOf<typeof releaseMessage>> = handler(
  releaseMessage,
  {
    maxAttempts: 50,
    retryMs: exponential(1_000, 600_000),

    async work({ accountSid, messageSid }, ports) {
      const { messages } = ports.records;
      const message = await messages.get(accountSid, messageSid);
      if (message?.status !== "queued") return; // Canceled, or this is a second run.
      const account = await ports.accounts.get(accountSid);
      if (account === null || await effectiveStatus(account, ports.accounts) !== "active") {
        return await failMessage(message, { fault: "accountInactive", detail: accountSid }, ports);
      }
      await messages.update(accountSid, messageSid, (now) =>
        now.status === "queued"
          ? {
            record: { ...now, status: "sending", dateUpdated: ports.now() },
            jobs: [sendMessage({ accountSid, messageSid })],
          }
          : { record: now });
    },
  },
);
