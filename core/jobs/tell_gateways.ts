import { exponential } from "../model/job.ts";
import { handler, type JobHandler } from "../ports/job_handler.ts";
import { type ArgsOf, tellGateways } from "../model/job_kinds.ts";

/** Performs `tellGateways`. */
export const tellGatewaysHandler: JobHandler<ArgsOf<typeof tellGateways>> = handler(tellGateways, {
  maxAttempts: 4, // Companions ask by themselves too, if later.
  retryMs: exponential(500, 5_000),
  work: async (_, { control }) => await control.gatewaysChanged(),
});
