import { plainReason } from "../base/plain_reason.ts";
import { effectiveStatus } from "../accounts/access.ts";
import { Fault } from "../base/faults.ts";
import { exponential } from "../model/job.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import { answerMessage, type ArgsOf } from "../model/job_kinds.ts";
import { limits } from "../base/limits.ts";
import { DocumentFault } from "../documents/fetch.ts";
import { type Answering, answerTo, notifyFailure } from "../messages/answer_to.ts";
import { smsMarkup } from "../messages/sms_markup.ts";
import type { Ports } from "../model/ports/ports.ts";

type Args = ArgsOf<typeof answerMessage>;

/** Performs `answerMessage`. */
export const answerMessageHandler: JobHandler<Args> = handler(answerMessage, {
  maxAttempts: ({ webhookMaxAttempts }) => webhookMaxAttempts,
  retryMs: exponential(5_000, 3_600_000, 4), // As status callbacks.
  maxAgeMs: limits.deliveryWaitMs,

  async work(args, ports, { signal }) {
    const answering = await answeringOf(args, ports, signal);
    if (answering === null) return;
    try {
      await answerTo(answering);
    } catch (error) {
      if (!(error instanceof DocumentFault) || isPassing(error)) throw error;
      await notifyFailure(error, answering);
    }
  },

  async spent(args, ports, error) {
    const answering = await answeringOf(args, ports, new AbortController().signal);
    if (answering === null) return [];
    const failure = error instanceof Fault
      ? error
      : new Fault("documentUnreachable", plainReason(error));
    await notifyFailure(failure, answering);
    return [];
  },
});

/** The message and its markup; null where account, message, number or SmsUrl no longer exists. */
async function answeringOf(
  { accountSid, messageSid, numberSid }: Args,
  ports: Ports,
  signal: AbortSignal,
): Promise<Answering | null> {
  const { messages, incomingPhoneNumbers } = ports.records;
  const account = await ports.accounts.get(accountSid);
  const message = await messages.get(accountSid, messageSid);
  const number = await incomingPhoneNumbers.get(accountSid, numberSid);
  if (account === null || message === null || number === null) return null;
  if (await effectiveStatus(account, ports.accounts) !== "active") return null;
  const markup = await smsMarkup(number, ports);
  return markup && { account, message, markup, ports, signal };
}

/** True where another attempt may succeed: there was no response, or the server has a problem. */
const isPassing = ({ fault, status }: DocumentFault): boolean =>
  fault === "documentUnreachable" &&
  (status === undefined || status >= 500 || status === 408 || status === 429);
