import { z } from "zod";
import { exponential, job, type JobKind } from "../job.ts";
import { limits } from "../limits.ts";
import { notification } from "../notify.ts";

const args = z.object({ accountSid: z.string(), recordingSid: z.string() });

/** Deletes the audio of a recording that is gone. */
export const removeAudio: JobKind<z.infer<typeof args>> = job({
  kind: "recording.remove_audio",
  args,
  lane: () => "blobs:remove",
  maxAttempts: limits.storeAttempts,
  retryMs: exponential(1_000, 3_600_000),
  work: async ({ accountSid, recordingSid }, { blobs }) =>
    await blobs.remove(accountSid, recordingSid),

  spent({ accountSid, recordingSid }, ports, error) {
    const why = error instanceof Error ? error.message : String(error);
    const notice = { accountSid, callSid: null, fault: "recordingNotDeleted" } as const;
    const detail = `${recordingSid}: ${why}`;
    return Promise.resolve([notification({ ...notice, detail, level: "error" }, ports)]);
  },
});
