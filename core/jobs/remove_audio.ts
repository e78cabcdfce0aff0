import { plainReason } from "../base/plain_reason.ts";
import { exponential } from "../model/job.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import { type ArgsOf, removeAudio } from "../model/job_kinds.ts";
import { limits } from "../base/limits.ts";
import { notification } from "../webhooks/notify.ts";

/** Performs `removeAudio`. */
export const removeAudioHandler: JobHandler<ArgsOf<typeof removeAudio>> = handler(removeAudio, {
  maxAttempts: limits.storeAttempts,
  retryMs: exponential(1_000, 3_600_000),
  work: async ({ accountSid, recordingSid }, { blobs }) =>
    await blobs.remove(accountSid, recordingSid),

  spent({ accountSid, recordingSid }, ports, error) {
    const why = plainReason(error);
    const notice = { accountSid, callSid: null, fault: "recordingNotDeleted" } as const;
    const detail = `${recordingSid}: ${why}`;
    return Promise.resolve([notification({ ...notice, detail, level: "error" }, ports)]);
  },
});
