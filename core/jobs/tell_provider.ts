import { exponential } from "../job.ts";
import { handler, type JobHandler } from "../job_handler.ts";
import { type ArgsOf, tellProvider } from "../job_kinds.ts";

/** Performs `tellProvider`. */
export const tellProviderHandler: JobHandler<ArgsOf<typeof tellProvider>> = handler(tellProvider, {
  maxAttempts: 12,
  retryMs: exponential(1_000, 600_000),
  work: async (event, { numbers }) => await numbers.tell(event),
});
