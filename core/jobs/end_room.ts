import { exponential } from "../model/job.ts";
import { handler, type JobHandler } from "../ports/job_handler.ts";
import { type ArgsOf, endRoom } from "../model/job_kinds.ts";

/** Performs `endRoom`. */
export const endRoomHandler: JobHandler<ArgsOf<typeof endRoom>> = handler(endRoom, {
  maxAttempts: 8,
  retryMs: exponential(250, 5_000),
  work: async ({ conferenceSid, companion }, { control }) =>
    void await control.room({ conferenceSid, order: { type: "end" } }, companion),
});
