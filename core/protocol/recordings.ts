import { z } from "zod";
import { action } from "./action.ts";

/**
 * The part of the call-control protocol (`companion.ts`) about recordings. The companion sends the
 * audio in parts while it records. The first part creates the recording, so a recording without
 * speech leaves no record.
 */

export const recordingLimits = {
  sampleRate: 8_000,
  bytesOfSample: 2,
  /** Of one part: four seconds of one channel. */
  partBytes: 64 << 10,
  /** Of the first part, a second of one channel: a recording soon has a record that a crash leaves. */
  firstPartBytes: 16_000,
} as const;

/** Order of a recording: its Sid, and data of the service that is returned unchanged. */
export const recordingOrder = z.object({
  sid: z.string().regex(/^RE[0-9a-f]{32}$/),
  accountSid: z.string(),
  /** The service wants to know also of a recording of which nothing was sent, as nothing was said. */
  isAbsenceTold: z.boolean().optional(),
  /** The service has made the record. The companion reports the end even where nothing was recorded. */
  isKnown: z.boolean().optional(),
  serviceContext: z.record(z.string(), z.unknown()).optional(),
});

/**
 * Manner of a call's recording: both sides, one channel each; or one of them, on the only channel.
 * Inbound is what the leg says, outbound what it hears. `trim` leaves out silence at both ends.
 */
export const recordingManner = z.object({
  track: z.enum(["both", "inbound", "outbound"]).optional(),
  isMono: z.boolean().optional(),
  trim: z.boolean().optional(),
});

/**
 * Records what the peer of the leg says, after a beep, until it is silent for `timeoutS`, presses one
 * of the keys in `finishOnKey`, or `maxLengthS` passed. With `trim` silence at both ends is left out.
 */
export const recordStep = z.object({
  type: z.literal("record"),
  recording: recordingOrder,
  timeoutS: z.number().positive(),
  finishOnKey: z.string(),
  maxLengthS: z.number().positive(),
  playBeep: z.boolean(),
  trim: z.boolean(),
  action: action.optional(),
});

/** Recording, for the action of a step: whole seconds, at least 1. */
export const recorded = z.object({ sid: z.string(), durationS: z.number().int().positive() });

/** A `record` step ended with something recorded. */
export const recordedEvent = z.object({
  type: z.literal("recorded"),
  recording: recorded,
  /** The key that ended it, or `hangup`. */
  digits: z.string().optional(),
  action,
});

/** Sound of a recording: 16-bit samples at 8 kHz, little-endian, the channels interleaved. */
export const recordingPart = z.object({
  recording: recordingOrder,
  /** The leg that ordered the recording. */
  leg: z.string(),
  channels: z.number().int().min(1).max(2),
  /** Bytes before this part. A repeated part changes nothing. */
  at: z.number().int().nonnegative(),
  /** Base64. */
  data: z.string(),
  /**
   * Nothing comes after this part; `cut` where sound was lost, and the recording ended, before its
   * time.
   */
  end: z.enum(["whole", "cut", "discard"]).optional(),
});

/** False: the service does not want the recording, or no longer. */
export const recordingAnswer = z.object({ isWanted: z.boolean() });

/** Treatment of audio that comes while the recording is paused. */
export const pauseBehavior = z.enum(["silence", "skip"]);

const sidOfRecording = recordingOrder.shape.sid;

/** Change of a recording in progress. */
export const recordingChange = z.discriminatedUnion("type", [
  z.object({ type: z.literal("pause"), sid: sidOfRecording, behavior: pauseBehavior }),
  z.object({ type: z.literal("resume"), sid: sidOfRecording }),
  z.object({ type: z.literal("stop"), sid: sidOfRecording }),
]);

/** Has a leg recorded to its end, or changes one of the recordings that it or its conference has. */
export const recordingRequest = z.object({
  leg: z.string().regex(/^CA[0-9a-f]{32}$/),
  order: z.discriminatedUnion("type", [
    z.object({ type: z.literal("start"), recording: recordingOrder, recordingManner }),
    ...recordingChange.options,
  ]),
});

/** False: the leg, its audio or the recording is not there. */
export const recordingRequestAnswer = z.object({ isDone: z.boolean() });

export type PauseBehavior = z.infer<typeof pauseBehavior>;
export type RecordingChange = z.infer<typeof recordingChange>;
export type RecordingRequest = z.infer<typeof recordingRequest>;
export type RecordingOrder = z.infer<typeof recordingOrder>;
export type RecordingManner = z.infer<typeof recordingManner>;
export type RecordStep = z.infer<typeof recordStep>;
export type Recorded = z.infer<typeof recorded>;
export type RecordingPart = z.infer<typeof recordingPart>;

/** Duration of so many bytes, as the REST interface shows it: whole seconds. */
export const recordedSeconds = (bytes: number, channels: number): number => {
  const { sampleRate, bytesOfSample } = recordingLimits;
  return Math.max(1, Math.round(bytes / (sampleRate * bytesOfSample * channels)));
};
