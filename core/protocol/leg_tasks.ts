import { z } from "zod";
import { callback } from "./gather.ts";
import { recordingManner, recordingOrder } from "./recordings.ts";

/**
 * The part of the call-control protocol (`companion.ts`) about tasks beside a script, which begin
 * with the answer of the leg and end with the leg.
 */

/** Records the leg: its own audio on the first channel, the audio that it hears on the second. */
export const recordLegStep = z.object({
  type: z.literal("recordLeg"),
  recording: recordingOrder,
  recordingManner: recordingManner.optional(),
});

const track = z.enum(["inbound", "outbound"]);

/** Transcribes both directions of the leg, and reports the words as `transcribed`. */
export const transcribeLegStep = z.object({
  type: z.literal("transcribeLeg"),
  sid: z.string(),
  name: z.string().optional(),
  tracks: z.array(track).min(1),
  language: z.string(),
  hints: z.array(z.string()),
  /** Reports words also while they are said. */
  hasPartials: z.boolean(),
  callback,
});

/** Ends the transcription with this name or Sid; nothing where there is none. */
export const stopTranscriptionStep = z.object({
  type: z.literal("stopTranscription"),
  name: z.string(),
});

/**
 * Plays both directions of another leg of its account, or of a conference, to the leg. Both are at
 * the same companion. The leg sends no audio to them and is no participant. The step ends with that
 * leg or conference, and at once where there is none.
 */
export const monitorStep = z.object({
  type: z.literal("monitor"),
  leg: z.string().regex(/^CA[0-9a-f]{32}$/).optional(),
  conferenceSid: z.string().regex(/^CF[0-9a-f]{32}$/).optional(),
});

/** Event of a transcription; `number` counts its events from 1. */
export const transcribedEvent = z.object({
  type: z.literal("transcribed"),
  sid: z.string(),
  name: z.string().optional(),
  language: z.string(),
  number: z.number().int().positive(),
  news: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("started"), tracks: z.array(track) }),
    z.object({
      kind: z.literal("content"),
      track,
      text: z.string(),
      confidence: z.number(),
      isFinal: z.boolean(),
    }),
    z.object({ kind: z.literal("error"), message: z.string() }),
    z.object({ kind: z.literal("stopped") }),
  ]),
  callback,
});

/**
 * Present levels of the peers of legs. The companion measures a leg from the first request on, and
 * for 15 s after the last one.
 */
export const levelsRequest = z.object({
  accountSid: z.string(),
  legs: z.array(z.string().regex(/^CA[0-9a-f]{32}$/)).min(1).max(100),
});

/** The level of a leg in dBov (RFC 6464 §3): 0 is the loudest, -127 is silence. */
export const level = z.object({ leg: z.string(), level: z.number().int().min(-127).max(0) });

/** Without the legs that are not there, of another account, or whose audio bypasses the companion. */
export const levelsAnswer = z.object({ levels: z.array(level) });

export type Level = z.infer<typeof level>;
export type LevelsRequest = z.infer<typeof levelsRequest>;
export type MonitorStep = z.infer<typeof monitorStep>;
export type RecordLegStep = z.infer<typeof recordLegStep>;
export type TranscribeLegStep = z.infer<typeof transcribeLegStep>;
export type TranscribedEvent = z.infer<typeof transcribedEvent>;
