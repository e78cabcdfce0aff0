import { exponential } from "../../model/job.ts";
import { handler, type JobHandler } from "../../model/ports/job_handler.ts";
import { type ArgsOf, simulateLeg } from "../../model/job_kinds.ts";
import { giveUp, goOn } from "./go_on.ts";

/** Performs `simulateLeg`. */
export const simulateLegHandler: JobHandler<ArgsOf<typeof simulateLeg>> = handler(simulateLeg, {
  maxAttempts: 10,
  retryMs: exponential(250, 10_000),
  work: (args, ports, { signal }) => goOn(args, ports, signal),
  async spent(args, ports) {
    await giveUp(args, ports);
    return [];
  },
});
