import { z } from "zod";
import { reference, textNumber } from "../fields.ts";
import { removeAudio } from "../jobs/remove_audio.ts";
import { type RecordOf, resource } from "../resource.ts";

/** Sound recorded during a call; the audio itself is kept by the blob port. */
export const recordings = resource({
  type: "Recording",
  path: "Recordings",
  sidPrefix: "RE",
  fields: {
    callSid: reference("CA"),
    /** Seconds. */
    duration: textNumber,
    apiVersion: z.string(),
    /** Where the audio is for whoever has the link; made when it is read, null in the store. */
    fileUri: z.string().nullable(),
  },
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
