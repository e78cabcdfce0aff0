import { exponential } from "../model/job.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import { type ArgsOf, hangUp } from "../model/job_kinds.ts";

/** Performs `hangUp`. */
export const hangUpHandler: JobHandler<ArgsOf<typeof hangUp>> = handler(hangUp, {
  maxAttempts: 8,
  retryMs: exponential(250, 5_000),
  async work({ callSid, companion, cause, endsAt = 0 }, { control, steadyNow }) {
    const afterMs = Math.ceil(endsAt - steadyNow());
    const hangup = {
      type: "hangup",
      ...cause && { cause },
      ...afterMs > 0 && { afterMs },
    } as const;
    await control.run(callSid, [hangup], { at: companion ?? null });
  },
});
