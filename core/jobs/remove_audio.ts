import { z } from "zod";
import { exponential, job, type JobKind } from "../job.ts";

const args = z.object({ accountSid: z.string(), recordingSid: z.string() });

/** Deletes the audio of a recording that is gone. */
export const removeAudio: JobKind<z.infer<typeof args>> = job({
  kind: "recording.remove_audio",
  args,
  lane: () => "blobs",
  maxAttempts: 10,
  retryMs: exponential(1_000, 600_000),
  work: async ({ accountSid, recordingSid }, { blobs }) =>
    await blobs.remove(accountSid, recordingSid),
});
