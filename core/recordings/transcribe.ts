/**
 * Transcriptions. Without a provider, or when it refuses, one is `failed`, with a Notification. An outage is
 * tried four times over minutes. A completed one costs `TRANSCRIPTION_PRICE` for each minute begun. A text
 * of over 40,000 bytes is cut.
 */
import { z } from "zod";
import { method, url } from "../base/fields.ts";
import { transcribeRecording } from "../model/job_kinds.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Change } from "../model/store.ts";
import type { Recording } from "../model/resources/recordings.ts";
import type { Transcription } from "../model/resources/transcriptions.ts";

/** The callback of a transcription, and the spoken language where it is given. */
export interface TranscribeOptions {
  callback: { url: string; method: "GET" | "POST" } | null;
  language?: string;
}

/** Parameters of `POST Recordings/{Sid}/Transcriptions`. */
export const transcribeParameters = {
  schema: z.object({
    transcribeCallback: url.optional().describe(
      "URL of the callback that is sent when the transcription has ended.",
    ),
    transcribeCallbackMethod: method.optional().describe(
      "HTTP method of the request to TranscribeCallback: GET or POST (default).",
    ),
    language: z.string().regex(
      /^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3}$/,
      "must be a language tag like en-US",
    ).optional().describe("Language of the recording, a tag such as en-US (BCP 47)."),
  }),
};

/** Price of a transcription, by the minute begun, in millionths. */
export function priceOf(
  { duration }: Pick<Transcription, "duration">,
  { settings }: Pick<Ports, "settings">,
): { minutes: number; priceMicros: number } {
  const minutes = Math.max(1, Math.ceil((duration ?? 0) / 60));
  return { minutes, priceMicros: minutes * settings.transcriptionPriceMicros };
}

/** A transcription of a recording that is whole, `in-progress`, and the job that makes its text. */
export function transcribe(
  { accountSid, sid: recordingSid, duration }: Recording,
  { callback, language }: TranscribeOptions,
  ports: Pick<Ports, "now" | "newSid">,
): Change<Transcription> & Required<Pick<Change<Transcription>, "jobs">> {
  const now = ports.now();
  const record: Transcription = {
    sid: ports.newSid("TR"),
    accountSid,
    dateCreated: now,
    dateUpdated: now,
    status: "in-progress",
    recordingSid,
    duration,
    transcriptionText: null,
    price: null,
  };
  const args = { accountSid, transcriptionSid: record.sid, callback };
  return { record, jobs: [transcribeRecording({ ...args, ...language && { language } })] };
}
