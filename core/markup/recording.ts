import { z } from "zod";
import type { RecordingManner } from "../protocol/recordings.ts";
import { noun } from "./noun.ts";
import { recordingCallback, recordingOrder } from "./recording_order.ts";

/** Records the call from here to its end, beside its script. */
export const startRecording = noun({
  name: "Recording",
  attributes: {
    channels: z.enum(["mono", "dual"]).optional().transform((channels) => channels ?? "mono"),
    track: z.enum(["inbound", "outbound", "both"]).optional().transform((track) => track ?? "both"),
    trim: z.enum(["trim-silence", "do-not-trim"]).optional(),
    ...recordingCallback,
  },
  compile(element, attributes, context) {
    const { channels, track, trim } = attributes;
    const recordingManner: RecordingManner = {
      track,
      isMono: channels === "mono",
      trim: trim === "trim-silence",
    };
    const recording = recordingOrder(
      element,
      { ...attributes, source: "StartCallRecordingTwiML" },
      context,
    );
    return [{ type: "recordLeg", recording, recordingManner }];
  },
});
