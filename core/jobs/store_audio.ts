import { plainReason } from "../base/plain_reason.ts";
import { exponential } from "../model/job.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import { type ArgsOf, storeAudio } from "../model/job_kinds.ts";
import { limits } from "../base/limits.ts";
import { type Notice, notify } from "../webhooks/notify.ts";
import { sidTime } from "../base/sid.ts";

type Args = ArgsOf<typeof storeAudio>;

/** The attempt whose failure makes a Notification; shorter outages make none. */
const notifiedAttempt = 3;

/** Performs `storeAudio`. */
export const storeAudioHandler: JobHandler<Args> = handler(storeAudio, {
  maxAttempts: limits.storeAttempts,
  retryMs: exponential(5_000, 3_600_000), // For about a day.

  async work({ accountSid, recordingSid }, ports, { attempt, signal }) {
    const { recordings } = ports.records;
    const recording = await recordings.get(accountSid, recordingSid);
    if (recording === null || recording.isStored) return;
    try {
      await ports.blobs.settle(accountSid, recordingSid, signal);
    } catch (error) {
      if (attempt === notifiedAttempt) {
        await notify(notice({ accountSid, recordingSid }, recording.callSid, error), ports);
      }
      throw error;
    }
    if (await recordings.get(accountSid, recordingSid) === null) { // Deleted meanwhile.
      return await ports.blobs.remove(accountSid, recordingSid);
    }
    await recordings.update(accountSid, recordingSid, (now) => ({
      record: { ...now, isStored: true },
    }));
  },

  async spent({ accountSid, recordingSid }, ports, error) {
    const recording = await ports.records.recordings.get(accountSid, recordingSid);
    if (recording === null) return [];
    await notify(notice({ accountSid, recordingSid }, recording.callSid, error), ports);
    return [];
  },
});

function notice({ accountSid, recordingSid }: Args, callSid: string, error: unknown): Notice {
  const why = plainReason(error);
  const detail = `${recordingSid} stays on the disk of the service until a retry succeeds: ${why}`;
  // One Notification, whether it is due after some attempts, at their end, or both.
  const cause = { at: sidTime(recordingSid), id: `${recordingSid} stored` };
  return { accountSid, callSid, fault: "recordingNotStored", detail, cause, level: "error" };
}
