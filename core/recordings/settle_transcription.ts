import { rfc2822 } from "../base/wire.ts";
import { deliverWebhook } from "../webhooks/deliver.ts";
import { limits } from "../base/limits.ts";
import { notification } from "../webhooks/notify.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Change } from "../model/store.ts";
import { callbackUrl } from "./link.ts";
import type { Recording } from "../model/resources/recordings.ts";
import type { Transcription } from "../model/resources/transcriptions.ts";
import { money } from "../usage/summarize.ts";
import { priceOf, type TranscribeOptions } from "./transcribe.ts";

/** The text of a recording, or why there is none. */
export type Result = { text: string } | { cause: string };

/** Ends a transcription with its price and charge, or a Notification; requests its callback. */
export async function settle(
  { accountSid, sid, recordingSid }: Transcription,
  result: Result,
  { callback }: Pick<TranscribeOptions, "callback">,
  ports: Ports,
): Promise<void> {
  const { records } = ports;
  const recording = await records.recordings.get(accountSid, recordingSid);
  const url = recording && await callbackUrl(recording, ports);
  const call = recording && await records.calls.get(accountSid, recording.callSid);
  const change = (now: Transcription): Change<Transcription> => {
    if (now.status !== "in-progress") return { record: now };
    const { jobs = [], ...settled } = "text" in result
      ? completed(now, result.text, ports)
      : failed(now, result.cause, { callSid: recording?.callSid ?? null, ports });
    if (callback === null) return { ...settled, jobs };
    const params = {
      ...parameters(settled.record, recording && { ...recording, url: url ?? "" }, ports),
      ...call && { From: call.from, To: call.to },
    };
    const webhook = { accountSid, callSid: recording?.callSid ?? null, ...callback, params };
    return { ...settled, jobs: [...jobs, deliverWebhook(webhook)] };
  };
  await records.transcriptions.update(accountSid, sid, change);
}

function completed(
  transcription: Transcription,
  text: string,
  { now, settings }: Ports,
): Change<Transcription> {
  const { minutes, priceMicros } = priceOf(transcription, { settings });
  return {
    record: {
      ...transcription,
      dateUpdated: now(),
      status: "completed",
      transcriptionText: cut(text),
      price: money(priceMicros),
    },
    charges: [{ category: "transcriptions", priceMicros, usage: minutes, at: now() }],
  };
}

function failed(
  transcription: Transcription,
  cause: string,
  { callSid, ports }: { callSid: string | null; ports: Ports },
): Change<Transcription> {
  const { accountSid, sid, recordingSid } = transcription;
  const detail = `${sid} of ${recordingSid}: ${cause}`;
  const notice = { accountSid, callSid, fault: "notTranscribed", detail, level: "error" } as const;
  return {
    record: { ...transcription, dateUpdated: ports.now(), status: "failed" },
    also: [notification(notice, ports)],
  };
}

/** Parameters of the callback; unknown values are left out. */
function parameters(
  { accountSid, sid, status, transcriptionText, recordingSid }: Transcription,
  recording: (Recording & { url: string }) | null,
  { now, settings }: Ports,
): Record<string, string> {
  const { apiVersion } = recording ?? limits;
  const account = `${settings.baseUrl}/${apiVersion}/Accounts/${accountSid}`;
  return {
    AccountSid: accountSid,
    ApiVersion: apiVersion,
    TranscriptionSid: sid,
    TranscriptionStatus: status,
    TranscriptionUrl: `${account}/Transcriptions/${sid}`,
    ...transcriptionText !== null && { TranscriptionText: transcriptionText },
    RecordingSid: recordingSid,
    ...recording &&
      {
        RecordingUrl: recording.url,
        CallSid: recording.callSid,
        RecordingDuration: String(recording.duration),
      },
    InstanceId: settings.instanceId,
    Timestamp: rfc2822(now()),
    CallbackSource: "transcription-events",
  };
}

/** The text within the length of a record, cut at the end of a character. */
function cut(text: string): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= limits.transcriptionLength) return text;
  const most = bytes.subarray(0, limits.transcriptionLength);
  return new TextDecoder().decode(most, { stream: true });
}
