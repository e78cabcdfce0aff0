import { Fault, faults } from "../base/faults.ts";
import { iso8601 } from "../base/wire.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Message } from "../model/resources/messages.ts";
import { scheduleLimits } from "../model/values/schedule_limits.ts";
import { settle } from "./settle.ts";

/** Messages that are sent at a time. */

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
