import { batches, subtree } from "../accounts/walk.ts";
import { exponential } from "../model/job.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import { type ArgsOf, forgetAccount } from "../model/job_kinds.ts";

/** Performs `forgetAccount`. */
export const forgetAccountHandler: JobHandler<ArgsOf<typeof forgetAccount>> = handler(
  forgetAccount,
  {
    maxAttempts: 10,
    retryMs: exponential(250, 30_000),

    async work({ accountSid }, ports, { signal }) {
      for await (const sid of subtree(accountSid, ports.accounts)) {
        for await (const clients of batches(ports.records.clients, sid)) {
          signal.throwIfAborted();
          await ports.control.invalidate(clients.map(({ login }) => login));
        }
      }
      await ports.control.gatewaysChanged();
    },
  },
);
