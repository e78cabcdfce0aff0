import { exponential } from "../model/job.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import { type ArgsOf, forgetClients } from "../model/job_kinds.ts";

/** Performs `forgetClients`. */
export const forgetClientsHandler: JobHandler<ArgsOf<typeof forgetClients>> = handler(
  forgetClients,
  {
    maxAttempts: 8,
    retryMs: exponential(500, 30_000),
    work: async ({ logins }, { control }) => await control.invalidate(logins),
  },
);
