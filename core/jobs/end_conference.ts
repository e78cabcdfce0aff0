import { exponential } from "../model/job.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import { type ArgsOf, endConference } from "../model/job_kinds.ts";

/** Performs `endConference`. */
export const endConferenceHandler: JobHandler<ArgsOf<typeof endConference>> = handler(
  endConference,
  {
    maxAttempts: 8,
    retryMs: exponential(250, 5_000),
    work: async ({ conferenceSid, companion }, { control }) =>
      void await control.conference({ conferenceSid, order: { type: "end" } }, companion),
  },
);
