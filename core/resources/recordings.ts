import { z } from "zod";
import { method, reference, textNumber } from "../base/fields.ts";
import { removeAudio } from "../model/job_kinds.ts";
import type { Settings } from "../values/settings.ts";
import { type RecordOf, resource } from "../model/resource.ts";

/** Who is told that a recording or its text is there. */
const callback = z.object({ url: z.string(), method }).nullable();

/** Sound recorded during a call; the audio itself is kept by the blob port. */
export const recordings = resource({
  type: "Recording",
  path: "Recordings",
  sidPrefix: "RE",
  fields: {
    callSid: reference("CA"),
    /** Seconds; 0 while it is made. */
    duration: textNumber,
    apiVersion: z.string(),
    /** Where the audio is for whoever has the link; made when it is read, null in the store. */
    fileUri: z.string().nullable(),
    /** `failed`: it broke off; the audio is what was kept until then. */
    status: z.enum(["in-progress", "completed", "failed"]),
    /** Where the object storage has the audio for everybody; made when it is read. */
    s3Uri: z.string().nullable(),
    channels: z.number().int(),
    statusCallback: callback,
    /** The text is wanted too. */
    transcribe: z.boolean(),
    transcribeCallback: callback,
    /** The audio was brought to where it stays for good. */
    isStored: z.boolean(),
  },
  hidden: ["channels", "statusCallback", "transcribe", "transcribeCallback", "isStored"],
  filters: { callSid: "equals" },
  period: { start: "dateCreated", end: "dateCreated" },
  paged: true,
  removable: true,
  removed: (recording) => ({
    record: recording,
    jobs: [removeAudio({ accountSid: recording.accountSid, recordingSid: recording.sid })],
  }),
});

export type Recording = RecordOf<typeof recordings>;

/** S3Uri is told only where everybody may read the objects. */
export const recordingsWith = (
  { recordingsOpenInS3 }: Pick<Settings, "recordingsOpenInS3">,
): typeof recordings =>
  recordingsOpenInS3
    ? recordings
    : { ...recordings, hidden: [...recordings.hidden ?? [], "s3Uri"] };
