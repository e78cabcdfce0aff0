import { z } from "zod";
import type { RecordingManner, RecordingOrder } from "../../protocol/recordings.ts";
import {
  type RecordingContext,
  type RecordingSource,
  recordingStatusCallback,
  recordingTracks,
} from "./recording_context.ts";

/** Recording of a call as a request orders it. */
export const recordingOptions = z.object({
  channels: z.enum(["mono", "dual"]),
  track: z.enum(recordingTracks),
  trim: z.boolean(),
  statusCallback: recordingStatusCallback.nullable(),
});

export type RecordingOptions = z.infer<typeof recordingOptions>;

/** The order of such a recording for a companion, and how many channels it has. */
export function orderOf(
  { channels, track, trim, statusCallback }: RecordingOptions,
  { accountSid, sid, source }: { accountSid: string; sid: string; source: RecordingSource },
): { recording: RecordingOrder; recordingManner: RecordingManner; channels: 1 | 2 } {
  const serviceContext: RecordingContext = {
    source,
    track,
    ...statusCallback !== null && { statusCallback },
  };
  const isKnown = source === "StartCallRecordingAPI";
  const isAbsenceTold = statusCallback?.events?.includes("absent") === true;
  return {
    recording: {
      sid,
      accountSid,
      ...isKnown && { isKnown },
      ...isAbsenceTold && { isAbsenceTold },
      serviceContext,
    },
    recordingManner: { track, isMono: channels === "mono", trim },
    channels: channels === "dual" && track === "both" ? 2 : 1,
  };
}
