import { exponential } from "../model/job.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import { type ArgsOf, notifyGateways } from "../model/job_kinds.ts";

/** Performs `notifyGateways`. */
export const notifyGatewaysHandler: JobHandler<ArgsOf<typeof notifyGateways>> = handler(
  notifyGateways,
  {
    maxAttempts: 4, // Companions read them by themselves too, if later.
    retryMs: exponential(500, 5_000),
    work: async (_, { control }) => await control.gatewaysChanged(),
  },
);
