import { endLiveCalls } from "../reports/end_live_calls.ts";
import { exponential } from "../model/job.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import { type ArgsOf, endCalls } from "../model/job_kinds.ts";

/** Performs `endCalls`. */
export const endCallsHandler: JobHandler<ArgsOf<typeof endCalls>> = handler(endCalls, {
  maxAttempts: 10,
  retryMs: exponential(250, 30_000),

  work: ({ accountSid }, ports, { signal }) => endLiveCalls(accountSid, { signal }, ports),
});
