import { z } from "zod";
import { method } from "../../base/fields.ts";

const callback = z.object({ url: z.string(), method });

/** Events of a recording that a status callback may be set for; `completed` includes a failure. */
export const recordingEvents = ["in-progress", "completed", "absent"] as const;
export type RecordingEvent = typeof recordingEvents[number];

/** The status callback of a recording; its events are `completed` alone unless given. */
export const recordingStatusCallback = callback.extend({
  events: z.array(z.enum(recordingEvents)).optional(),
});

/** Sources of a recording, in the words of Twilio's interface. */
export const recordingSources = [
  "DialVerb",
  "RecordVerb",
  "Conference",
  "OutboundAPI",
  "StartCallRecordingAPI",
  "StartCallRecordingTwiML",
] as const;
export type RecordingSource = typeof recordingSources[number];

/** The sides that are recorded: inbound is what the leg says. */
export const recordingTracks = ["both", "inbound", "outbound"] as const;

/** Data of the service that comes back with the first part of a recording. */
export const recordingContext = z.object({
  statusCallback: recordingStatusCallback.optional(),
  transcribe: z.boolean().optional(),
  source: z.enum(recordingSources).optional(),
  track: z.enum(recordingTracks).optional(),
  /** The Conference that is recorded. */
  conferenceSid: z.string().optional(),
  transcribeCallback: callback.optional(),
});

export type RecordingContext = z.infer<typeof recordingContext>;
