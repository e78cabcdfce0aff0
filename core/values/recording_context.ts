import { z } from "zod";
import { method } from "../base/fields.ts";

const callback = z.object({ url: z.string(), method });

/** What a status callback of a recording may be asked for; `completed` stands for a failure, too. */
export const recordingEvents = ["in-progress", "completed", "absent"] as const;
export type RecordingEvent = typeof recordingEvents[number];

/** The status callback of a recording; its events are `completed` alone unless given. */
export const recordingStatusCallback = callback.extend({
  events: z.array(z.enum(recordingEvents)).optional(),
});

/** What the service wants to know again when a recording comes to be. */
export const recordingContext = z.object({
  statusCallback: recordingStatusCallback.optional(),
  transcribe: z.boolean().optional(),
  transcribeCallback: callback.optional(),
});

export type RecordingContext = z.infer<typeof recordingContext>;
