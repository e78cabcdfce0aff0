import { effectiveStatus } from "../accounts/access.ts";
import { Fault, faults } from "../base/faults.ts";
import { iso8601 } from "../base/wire.ts";
import { exponential } from "../model/job.ts";
import { type ArgsOf, lapseMessage, releaseMessage, sendMessage } from "../model/job_kinds.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Message } from "../model/resources/messages.ts";
import { scheduleLimits } from "../model/values/schedule_limits.ts";
import { failMessage } from "./fail_message.ts";
import { settle } from "./settle.ts";

/** Messages that are sent at a time, or not after one. */

/**
 * Fields of a message by the time at which it is to be sent: one for later is `queued`. Throws
 * `badSchedule` for a time that has passed, or is more than `scheduleLimits.aheadMs` ahead.
 */
export function scheduled(
  sendAt: number | undefined,
  now: number,
): Partial<Pick<Message, "sendAt" | "status">> {
  if (sendAt === undefined) return {};
  if (sendAt < now) throw new Fault("badSchedule", `${iso8601(sendAt)} has passed`);
  if (sendAt > now + scheduleLimits.aheadMs) {
    const days = scheduleLimits.aheadMs / 86_400_000;
    throw new Fault("badSchedule", `${iso8601(sendAt)} is more than ${days} days ahead`);
  }
  return { sendAt, status: "queued" };
}

/**
 * Cancels a message that waits for its time: it is never sent. A canceled one stays canceled. Throws
 * `messageNotScheduled` for any other, `notFound`.
 */
export async function cancelMessage(
  { accountSid, sid }: { accountSid: string; sid: string },
  ports: Ports,
): Promise<Message> {
  return await ports.records.messages.update(accountSid, sid, (message) => {
    if (message.errorCode === faults.messageCanceled.code) return { record: message };
    if (message.status !== "queued") {
      throw new Fault("messageNotScheduled", `its status is ${message.status}`);
    }
    return settle(message, { at: ports.now(), fault: "messageCanceled" });
  });
}

/** Performs `releaseMessage`. */
export const releaseMessageHandler: JobHandler<ArgsOf<typeof releaseMessage>> = handler(
  releaseMessage,
  {
    maxAttempts: 50,
    retryMs: exponential(1_000, 600_000),

    async work({ accountSid, messageSid }, ports) {
      const { messages } = ports.records;
      const message = await messages.get(accountSid, messageSid);
      if (message?.status !== "queued") return; // Canceled, or this is a second run.
      const account = await ports.accounts.get(accountSid);
      if (account === null || await effectiveStatus(account, ports.accounts) !== "active") {
        return await failMessage(message, { fault: "accountInactive", detail: accountSid }, ports);
      }
      await messages.update(accountSid, messageSid, (now) =>
        now.status === "queued"
          ? {
            record: { ...now, status: "sending", dateUpdated: ports.now() },
            jobs: [sendMessage({ accountSid, messageSid })],
          }
          : { record: now });
    },
  },
);

/** Performs `lapseMessage`. */
export const lapseMessageHandler: JobHandler<ArgsOf<typeof lapseMessage>> = handler(lapseMessage, {
  maxAttempts: 50,
  retryMs: exponential(1_000, 600_000),

  async work({ accountSid, messageSid }, ports) {
    const message = await ports.records.messages.get(accountSid, messageSid);
    const isWaiting = message?.status === "sending" || message?.status === "queued";
    if (!isWaiting || message.carrierId) return; // The carrier has it.
    const detail = `it was not sent within ${message.validityPeriod} s`;
    await failMessage(message, { fault: "messageExpired", detail }, ports);
  },
});
