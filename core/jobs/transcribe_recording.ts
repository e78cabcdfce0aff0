import { isTest } from "../accounts/access.ts";
import { plainReason } from "../base/plain_reason.ts";
import { Fault } from "../base/faults.ts";
import { exponential } from "../model/job.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import { type ArgsOf, transcribeRecording } from "../model/job_kinds.ts";
import { limits } from "../base/limits.ts";
import type { Ports } from "../model/ports/ports.ts";
import { priceOf } from "../recordings/transcribe.ts";
import { settle } from "../recordings/settle_transcription.ts";
import type { Transcription } from "../model/resources/transcriptions.ts";
import { limitFaultOf } from "../model/values/account_limits.ts";

/** Transcription of every recording of a test account. */
const simulatedText = "This is a test.";

/** Performs `transcribeRecording`. */
export const transcribeRecordingHandler: JobHandler<ArgsOf<typeof transcribeRecording>> = handler(
  transcribeRecording,
  {
    maxAttempts: limits.transcriptionAttempts,
    retryMs: exponential(10_000, 600_000, 4),

    async work(wanted, ports, { signal }) {
      const asked = await find(wanted, ports);
      if (asked === null) return;
      const account = await ports.accounts.get(asked.accountSid);
      if (account !== null && isTest(account)) {
        const settings = { ...ports.settings, transcriptionPriceMicros: 0 };
        return await settle(asked, { text: simulatedText }, wanted, { ...ports, settings });
      }
      const refused = await reserve(asked, ports);
      if (refused !== null) return await settle(asked, { cause: refused.message }, wanted, ports);
      await settle(
        asked,
        { text: await textOf(asked, wanted.language, ports, signal) },
        wanted,
        ports,
      );
    },

    async spent(wanted, ports, error) {
      const asked = await find(wanted, ports);
      const cause = error instanceof Fault ? error.detail ?? error.message : plainReason(error);
      if (asked !== null) await settle(asked, { cause }, wanted, ports);
      return [];
    },
  },
);

/** Counts the price of a transcription in the limits of money; returns the refusal of one, or null. */
async function reserve(asked: Transcription, ports: Ports): Promise<Fault | null> {
  const { priceMicros } = priceOf(asked, ports);
  if (!asked.limitedBy?.length || (asked.reservedMicros ?? 0) >= priceMicros) return null;
  return await ports.records.transcriptions.update(asked.accountSid, asked.sid, (now) => ({
    record: now.status === "in-progress" ? { ...now, reservedMicros: priceMicros } : now,
  })).then(() => null, limitFaultOf);
}

/** The transcription, as long as it is to be made. */
async function find(
  { accountSid, transcriptionSid }: ArgsOf<typeof transcribeRecording>,
  { records }: Ports,
): Promise<Transcription | null> {
  const asked = await records.transcriptions.get(accountSid, transcriptionSid);
  return asked?.status === "in-progress" ? asked : null;
}

/** Throws a Fault when no other attempt can bring it, and any other error when one may. */
async function textOf(
  { accountSid, recordingSid, duration }: Transcription,
  language: string | undefined,
  { transcriber, blobs }: Ports,
  signal: AbortSignal,
): Promise<string> {
  if (transcriber === null) {
    throw new Fault("notTranscribed", "speech recognition is off; set RECOGNITION_URL");
  }
  const open = async () => {
    const audio = await blobs.get(accountSid, recordingSid);
    if (audio === null) throw new Fault("notTranscribed", "the audio of the recording was deleted");
    return audio;
  };
  const seconds = duration ?? 0;
  const mostMs = limits.transcriptionMs + seconds * limits.transcriptionMsPerS;
  const isLong = seconds > limits.longTranscriptionS;
  const audio = { open, mostMs, isLong, ...language && { language } };
  return await transcriber.transcribe(audio, signal);
}
