import { exponential } from "../model/job.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import { type ArgsOf, notifyProvider } from "../model/job_kinds.ts";

/** Performs `notifyProvider`. */
export const notifyProviderHandler: JobHandler<ArgsOf<typeof notifyProvider>> = handler(
  notifyProvider,
  {
    maxAttempts: 12,
    retryMs: exponential(1_000, 600_000),
    work: async (event, { numbers }) => await numbers.notify(event),
  },
);
