import { z } from "zod";
import {
  recordingSources,
  recordingStatusCallback,
  recordingTracks,
} from "../values/recording_context.ts";
import { withMark } from "./internal/removed_records.ts";
import { method, reference, textNumber } from "../../base/fields.ts";
import { removeAudio } from "../job_kinds.ts";
import type { Settings } from "../values/settings.ts";
import { type RecordOf, resource } from "../resource.ts";

/** The callback of a completed recording or transcription. */
const callback = z.object({ url: z.string(), method }).nullable();

/** Sound recorded during a call; the blob port stores the audio. */
export const recordings = resource({
  type: "Recording",
  description: "An audio recording of a call.",
  path: "Recordings",
  sidPrefix: "RE",
  fields: {
    callSid: reference("CA").describe("Sid of the recorded Call."),
    duration: textNumber.describe("Seconds of audio as a text; 0 while it is being recorded."),
    apiVersion: z.string().describe("Version of the interface, always a date such as 2012-04-24."),
    fileUri: z.string().nullable().describe(
      "Signed URL of the audio (WAV), which expires; it needs no credentials.",
    ),
    status: z.enum(["in-progress", "completed", "failed"]).describe(
      "Status of the recording: in-progress, completed, or failed when it broke off (the audio until then is kept).",
    ),
    s3Uri: z.string().nullable().describe(
      "URL of the audio in the object storage, null until it is stored there.",
    ),
    channels: z.number().int(),
    statusCallback: recordingStatusCallback.nullable(),
    /** A transcription is ordered as well. */
    transcribe: z.boolean(),
    transcribeCallback: callback,
    /** The audio is in its permanent storage. */
    isStored: z.boolean(),
    /** Source of the order, and the sides recorded; null in records of a former version. */
    source: z.enum(recordingSources).nullable(),
    track: z.enum(recordingTracks).nullable(),
    conferenceSid: reference("CF").nullable().describe(
      "Sid of the recorded Conference, null for any other recording.",
    ),
    /** Of one in progress: a request paused or stopped it. */
    halt: z.enum(["paused", "stopped"]).nullable(),
    /** Counts the requests that paused or resumed it. */
    changes: z.number().int(),
    /** One of the places of its call for recordings that requests started, until its end. */
    liveSlot: z.string().nullable(),
  },
  unique: ["liveSlot"],
  hidden: [
    "channels",
    "statusCallback",
    "transcribe",
    "transcribeCallback",
    "isStored",
    "source",
    "track",
    "conferenceSid",
    "halt",
    "changes",
    "liveSlot",
  ],
  filters: { callSid: "equals", conferenceSid: "equals" },
  period: { start: "dateCreated", end: "dateCreated" },
  paged: true,
  removable: true,
  removed: (recording) => ({
    record: recording,
    jobs: [removeAudio({ accountSid: recording.accountSid, recordingSid: recording.sid })],
    ...withMark(recording),
  }),
});

export type Recording = RecordOf<typeof recordings>;

/** S3Uri is shown only where the objects are publicly readable. */
export const recordingsWith = (
  { recordingsOpenInS3 }: Pick<Settings, "recordingsOpenInS3">,
): typeof recordings =>
  recordingsOpenInS3
    ? recordings
    : { ...recordings, hidden: [...recordings.hidden ?? [], "s3Uri"] };
