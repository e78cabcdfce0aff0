import { z } from "zod";
import { exponential, job, type JobKind } from "../job.ts";
import { limits } from "../limits.ts";
import { type Notice, notify } from "../notify.ts";
import { sidTime } from "../sid.ts";

const args = z.object({ accountSid: z.string(), recordingSid: z.string() });

type Args = z.infer<typeof args>;

/** The attempt whose failure the customer is told of; what is shorter passes. */
const toldAttempt = 3;

/**
 * Brings the audio of a finished recording to where it stays. Until then, and when it cannot be, it is
 * served from where it was made.
 */
export const storeAudio: JobKind<Args> = job<Args>({
  kind: "recording.store_audio",
  args,
  lane: () => "blobs:store",
  maxAttempts: limits.storeAttempts,
  retryMs: exponential(5_000, 3_600_000), // For about a day.

  async work({ accountSid, recordingSid }, ports, { attempt, signal }) {
    const { recordings } = ports.records;
    const recording = await recordings.get(accountSid, recordingSid);
    if (recording === null || recording.isStored) return;
    try {
      await ports.blobs.settle(accountSid, recordingSid, signal);
    } catch (error) {
      if (attempt === toldAttempt) {
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
  const why = error instanceof Error ? error.message : String(error);
  const detail = `${recordingSid} stays at the service for now: ${why}`;
  // It is told once, whether after some attempts, at their end, or both.
  const cause = { at: sidTime(recordingSid), id: `${recordingSid} stored` };
  return { accountSid, callSid, fault: "recordingNotStored", detail, cause, level: "error" };
}
