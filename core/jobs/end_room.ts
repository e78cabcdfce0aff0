import { z } from "zod";
import { companion } from "../bridge.ts";
import { exponential, job, type JobKind } from "../job.ts";

const args = z.object({ conferenceSid: z.string(), companion });

/** Has the companion end the room of a Conference that is over. */
export const endRoom: JobKind<z.infer<typeof args>> = job({
  kind: "conference.end_room",
  args,
  lane: () => "calls",
  maxAttempts: 8,
  retryMs: exponential(250, 5_000),
  work: async ({ conferenceSid, companion }, { bridge }) =>
    void await bridge.room({ conferenceSid, order: { type: "end" } }, companion),
});
