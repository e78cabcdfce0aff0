import { z } from "zod";
import { standing } from "../access.ts";
import { Fault } from "../faults.ts";
import { customerLane, exponential, job, type JobKind } from "../job.ts";
import { limits } from "../limits.ts";
import { DocumentFault } from "../markup/fetch.ts";
import { type Answering, answerTo, tellFailure } from "../messages/answer_to.ts";
import { smsMarkup } from "../messages/sms_markup.ts";
import type { Ports } from "../ports.ts";

const args = z.object({
  accountSid: z.string(),
  messageSid: z.string(),
  numberSid: z.string(),
  /** That is asked. */
  host: z.string(),
});

type Args = z.infer<typeof args>;

/**
 * Asks the SmsUrl of a number about a message that it received, and performs the markup that
 * answers. A server that is out of reach is asked again; what its first answer had sent is not sent
 * again by the next.
 */
export const answerMessage: JobKind<Args> = job({
  kind: "message.answer",
  args,
  lane: ({ host, accountSid }) => customerLane("answers", host, accountSid),
  maxAttempts: ({ callbackAttempts }) => callbackAttempts,
  retryMs: exponential(5_000, 3_600_000, 4), // As status callbacks.
  maxAgeMs: limits.deliveryWaitMs,

  async work(args, ports, { signal }) {
    const answering = await answeringOf(args, ports, signal);
    if (answering === null) return;
    try {
      await answerTo(answering);
    } catch (error) {
      if (!(error instanceof DocumentFault) || isPassing(error)) throw error;
      await tellFailure(error, answering);
    }
  },

  async spent(args, ports, error) {
    const answering = await answeringOf(args, ports, new AbortController().signal);
    if (answering === null) return [];
    const failure = error instanceof Fault
      ? error
      : new Fault("documentUnreachable", String(error));
    await tellFailure(failure, answering);
    return [];
  },
});

/** Null: the account, the message or its number is gone, or the number has no SmsUrl any more. */
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
  if (await standing(account, ports.accounts) !== "active") return null;
  const markup = await smsMarkup(number, ports);
  return markup && { account, message, markup, ports, signal };
}

/** Whether asking again may help: nobody answered, or the server has a problem of its own. */
const isPassing = ({ fault, status }: DocumentFault): boolean =>
  fault === "documentUnreachable" &&
  (status === undefined || status >= 500 || status === 408 || status === 429);
