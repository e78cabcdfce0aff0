import { batches } from "../accounts/walk.ts";
import { recordedSeconds } from "../protocol/recordings.ts";
import { rfc2822 } from "../base/wire.ts";
import { deliverWebhook } from "../webhooks/deliver.ts";
import type { Job } from "../model/job.ts";
import { storeAudio } from "../model/job_kinds.ts";
import { notification } from "../webhooks/notify.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Change } from "../model/store.ts";
import type { Call } from "../model/resources/calls.ts";
import type { Recording } from "../model/resources/recordings.ts";
import type { recordingEvents } from "../model/values/recording_context.ts";
import { transcribe } from "./transcribe.ts";
import { callbackUrl } from "./link.ts";
import { wavHeader, wavHeaderBytes } from "./wav_header.ts";

interface Ending {
  /** Bytes of stored audio. */
  bytes: number;
  /** False: it broke off. */
  isWhole: boolean;
}

/** Ends a recording, with its callback; what broke off has failed, with a Notification. Once only. */
export async function finishRecording(
  recording: Recording,
  ending: Ending,
  ports: Ports,
): Promise<void> {
  const { accountSid, sid } = recording;
  const url = await callbackUrl(recording, ports);
  await ports.records.recordings.update(accountSid, sid, (recording) => {
    if (recording.status !== "in-progress") return { record: recording };
    return finished(recording, ending, { url, ports });
  });
}

function finished(
  recording: Recording,
  { bytes, isWhole }: Ending,
  { url, ports }: { url: string; ports: Ports },
): Change<Recording> {
  const { accountSid, sid, callSid, channels } = recording;
  const record: Recording = {
    ...recording,
    dateUpdated: ports.now(),
    status: isWhole ? "completed" : "failed",
    duration: bytes === 0 ? 0 : recordedSeconds(bytes, channels),
    halt: null,
    liveSlot: null,
  };
  const jobs = bytes === 0 ? [] : [storeAudio({ accountSid, recordingSid: sid })];
  jobs.push(...recordingCallbacks(record, bytes === 0 && isWhole ? "absent" : "completed", url));
  const ended = withTranscription({ record, jobs }, ports);
  if (isWhole) return ended;
  const detail = `${sid} was cut off after ${record.duration} s`;
  const notice = { accountSid, callSid, fault: "recordingBrokeOff", detail } as const;
  const failure = notification({ ...notice, level: "error" }, ports);
  return { ...ended, also: [...ended.also ?? [], failure] };
}

/** Adds the transcription of a stored recording, if ordered; its callback is always requested. */
function withTranscription(
  { record, jobs = [] }: Change<Recording>,
  ports: Ports,
): Change<Recording> {
  if (!record.transcribe) return { record, jobs };
  const made = transcribe(record, { callback: record.transcribeCallback }, ports);
  const also = [{ into: "transcriptions" as const, record: made.record }];
  return { record, jobs: [...jobs, ...made.jobs], also };
}

/** The status callback of an event, where it is wanted. */
export function recordingCallbacks(
  record: Recording,
  about: typeof recordingEvents[number],
  url: string,
): Job[] {
  const { accountSid, callSid, statusCallback } = record;
  if (statusCallback === null) return [];
  const { events = ["completed"], ...target } = statusCallback;
  if (!events.includes(about)) return [];
  const status = about === "absent" ? about : record.status;
  const params = { ...callbackParameters(record, url), RecordingStatus: status };
  const event = `recording.${status}`;
  return [deliverWebhook({ accountSid, callSid, ...target, params, event })];
}

const callbackParameters = (
  { accountSid, callSid, sid, status, duration, channels, ...recording }: Recording,
  url: string,
): Record<string, string> => ({
  AccountSid: accountSid,
  CallSid: callSid,
  RecordingSid: sid,
  RecordingUrl: url,
  RecordingStatus: status,
  RecordingDuration: String(duration),
  RecordingChannels: String(channels),
  RecordingStartTime: rfc2822(recording.dateCreated),
  ...recording.track && { RecordingTrack: recording.track },
  ...recording.source && { RecordingSource: recording.source },
  ...recording.conferenceSid && { ConferenceSid: recording.conferenceSid },
});

/** Ends a recording that gets no further parts, as it is stored. */
export async function breakOff(recording: Recording, ports: Ports): Promise<void> {
  const { accountSid, sid, channels } = recording;
  const size = await ports.blobs.size(accountSid, sid) ?? 0;
  const bytes = Math.max(0, size - wavHeaderBytes);
  // The process may have been killed between sound and header.
  if (bytes > 0) await ports.blobs.write(accountSid, sid, 0, wavHeader(channels, bytes));
  if (await ports.records.recordings.get(accountSid, sid) === null) { // Removed meanwhile.
    return await ports.blobs.remove(accountSid, sid);
  }
  await finishRecording(recording, { bytes, isWhole: false }, ports);
}

/** The same for all recordings of a call whose companion is gone. */
export async function breakOffAll({ accountSid, sid }: Call, ports: Ports): Promise<void> {
  const where = [{ field: "callSid", op: "equals" as const, value: sid }];
  for await (const batch of batches(ports.records.recordings, accountSid, where)) {
    for (const recording of batch) {
      if (recording.status === "in-progress") await breakOff(recording, ports);
    }
  }
}
