import { exponential } from "../model/job.ts";
import { handler, type JobHandler } from "../ports/job_handler.ts";
import { type ArgsOf, hangUp } from "../model/job_kinds.ts";

/** Performs `hangUp`. */
export const hangUpHandler: JobHandler<ArgsOf<typeof hangUp>> = handler(hangUp, {
  maxAttempts: 8,
  retryMs: exponential(250, 5_000),
  work: async ({ callSid, companion }, { control }) =>
    void await control.run(callSid, [{ type: "hangup" }], { at: companion ?? null }),
});
