import { isLive } from "../model/values/status.ts";
import { exponential } from "../model/job.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import { type ArgsOf, settleRecording } from "../model/job_kinds.ts";
import { callTime } from "../calls/call_time.ts";
import { limits } from "../base/limits.ts";
import type { Ports } from "../model/ports/ports.ts";
import { breakOff } from "../recordings/finish.ts";
import type { Recording } from "../model/resources/recordings.ts";

type Args = ArgsOf<typeof settleRecording>;

/** Performs `settleRecording`. */
export const settleRecordingHandler: JobHandler<Args> = handler(settleRecording, {
  maxAttempts: 50,
  retryMs: exponential(1_000, 300_000),
  async work({ accountSid, recordingSid }, ports) {
    const recording = await ports.records.recordings.get(accountSid, recordingSid);
    if (recording?.status !== "in-progress") return;
    if (await isForgotten(recording, ports)) return await breakOff(recording, ports);
    const again = settleRecording(
      { accountSid, recordingSid },
      ports.now() + limits.recordingCheckMs,
    );
    await ports.records.recordings.update(accountSid, recordingSid, (now) => ({
      record: now,
      jobs: now.status === "in-progress" ? [again] : [],
    }));
  },
});

async function isForgotten({ accountSid, callSid }: Recording, ports: Ports): Promise<boolean> {
  const call = await ports.records.calls.get(accountSid, callSid);
  if (call === null) return true;
  const endedAt = call.endTime ?? call.dateUpdated;
  // While the store could not write, the companion kept the rest of the recording.
  const silentMs = Math.min(callTime(call, ports) - endedAt, ports.store.wellForMs());
  return !isLive(call.status) && silentMs > limits.recordingForgottenMs;
}
