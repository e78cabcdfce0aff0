import { plainReason } from "../base/plain_reason.ts";
import type { RecordingPart } from "../protocol/recordings.ts";
import { Fault } from "../base/faults.ts";
import { removeAudio } from "../model/job_kinds.ts";
import { settleRecording } from "../model/job_kinds.ts";
import { limits } from "../base/limits.ts";
import { notify } from "../webhooks/notify.ts";
import type { Ports } from "../model/ports/ports.ts";
import { isRemoved, withMark } from "../model/resources/internal/removed_records.ts";
import type { Call } from "../model/resources/calls.ts";
import type { Recording } from "../model/resources/recordings.ts";
import { sidTime } from "../base/sid.ts";
import { finishRecording, recordingCallbacks } from "./finish.ts";
import { callbackUrl } from "./link.ts";
import { recordingContext } from "../model/values/recording_context.ts";
import { wavHeader, wavHeaderBytes } from "./wav_header.ts";

/**
 * Takes a part of a recording; the first one begins it. After each part the audio is a whole WAV
 * file. False when the recording, its call or its account is gone. Throws
 * `unavailable` when the audio cannot be stored now.
 */
export async function takePart(part: RecordingPart, ports: Ports): Promise<boolean> {
  const { accountSid, sid } = part.recording;
  const known = await ports.records.recordings.get(accountSid, sid);
  if (known === null && part.at === 0 && part.end === "discard") await tellAbsent(part, ports);
  const recording = known ?? await begin(part, ports);
  if (recording === null) return false;
  if (recording.status !== "in-progress") return part.end !== undefined;
  if (part.end === "discard") {
    const url = await callbackUrl(recording, ports);
    await ports.records.recordings.remove(accountSid, sid, (record) => ({
      ...withMark(record),
      record,
      jobs: [
        removeAudio({ accountSid, recordingSid: sid }),
        ...recordingCallbacks(record, "absent", url),
      ],
    }));
    return true;
  }
  const data = Uint8Array.fromBase64(part.data);
  if (!await keep(part, data, ports)) return false;
  if (await ports.records.recordings.get(accountSid, sid) === null) {
    await ports.blobs.remove(accountSid, sid); // It was removed while the part was written.
    return false;
  }
  if (part.end === undefined) return true;
  const bytes = part.at + data.length;
  await finishRecording(recording, { bytes, isWhole: part.end === "whole" }, ports);
  return true;
}

/** The callback of a recording that never came to be, as nothing was said. */
async function tellAbsent(part: RecordingPart, ports: Ports): Promise<void> {
  const { recording: { accountSid }, leg } = part;
  const call = await ports.records.calls.get(accountSid, leg);
  if (call === null) return;
  const jobs = recordingCallbacks(recordOf(part, call, ports.now()), "absent", "");
  if (jobs.length === 0) return;
  await ports.records.calls.update(accountSid, leg, (record) => ({ record, jobs }));
}

/** The record of a recording that begins. */
function recordOf(
  { recording: { accountSid, sid, serviceContext = {} }, leg: callSid, channels }: Pick<
    RecordingPart,
    "recording" | "leg" | "channels"
  >,
  { apiVersion, liveSlot = null }: Pick<Call, "apiVersion"> & { liveSlot?: string | null },
  now: number,
): Recording {
  const wanted = recordingContext.parse(serviceContext);
  return {
    sid,
    accountSid,
    dateCreated: now,
    dateUpdated: now,
    callSid,
    duration: 0,
    apiVersion,
    fileUri: null,
    s3Uri: null,
    status: "in-progress",
    channels,
    statusCallback: wanted.statusCallback ?? null,
    transcribe: wanted.transcribe ?? false,
    transcribeCallback: wanted.transcribeCallback ?? null,
    isStored: false,
    source: wanted.source ?? null,
    track: wanted.track ?? "both",
    conferenceSid: wanted.conferenceSid ?? null,
    halt: null,
    changes: 0,
    liveSlot,
  };
}

/**
 * Begins a recording of a call, at whose interface its addresses are: its record and the check that it
 * ends. Its status callback is committed with it, unless it is `silent`. Throws `alreadyExists` where another recording has the slot.
 */
export async function beginRecording(
  part: Pick<RecordingPart, "recording" | "leg" | "channels">,
  ports: Ports,
  { apiVersion, silent = false, liveSlot = null }: Pick<Call, "apiVersion"> & {
    silent?: boolean;
    liveSlot?: string | null;
  },
): Promise<Recording> {
  const { accountSid, sid } = part.recording;
  const now = ports.now();
  const record = recordOf(part, { apiVersion, liveSlot }, now);
  const url = await callbackUrl(record, ports);
  const check = settleRecording({ accountSid, recordingSid: sid }, now + limits.recordingCheckMs);
  return await ports.records.recordings.insert({
    record,
    jobs: [check, ...silent ? [] : recordingCallbacks(record, "in-progress", url)],
  });
}

async function begin(part: RecordingPart, ports: Ports): Promise<Recording | null> {
  const { recording: { accountSid, sid }, leg: callSid, at, end } = part;
  if (at > 0 || end === "discard") return null;
  if (await isRemoved({ accountSid, sid }, ports.records)) return null;
  const call = await ports.records.calls.get(accountSid, callSid);
  return call && await beginRecording(part, ports, { apiVersion: call.apiVersion });
}

/** Writes sound and header; false when the audio was deleted meanwhile. */
async function keep(
  { recording: { accountSid, sid }, leg: callSid, channels, at }: RecordingPart,
  data: Uint8Array<ArrayBuffer>,
  { blobs, ...ports }: Ports,
): Promise<boolean> {
  try {
    const size = await blobs.size(accountSid, sid) ?? 0;
    // A part that comes once more, late, makes the file no shorter.
    const header = wavHeader(channels, Math.max(size - wavHeaderBytes, at + data.length));
    if (at === 0) {
      const start = new Uint8Array(wavHeaderBytes + data.length);
      start.set(header);
      start.set(data, wavHeaderBytes);
      await blobs.write(accountSid, sid, 0, start);
    } else {
      await blobs.write(accountSid, sid, wavHeaderBytes + at, data);
      await blobs.write(accountSid, sid, 0, header);
    }
    return true;
  } catch (error) {
    if (error instanceof Fault && error.kind === "missing") return false;
    const why = plainReason(error);
    const notice = { accountSid, callSid, fault: "recordingNotStored", level: "error" } as const;
    const failure = { ...notice, cause: { at: sidTime(sid), id: sid }, detail: `${sid}: ${why}` };
    await notify(failure, { blobs, ...ports }).catch((error) =>
      ports.log("Cannot write the Notification of a recording that was not stored", { sid, error })
    );
    throw new Fault("unavailable", `Cannot keep a recording: ${why}`, { cause: error });
  }
}
