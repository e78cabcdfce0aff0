import { limits } from "../base/limits.ts";
import { isPassing } from "../messages/client_route.ts";
import { failureOf } from "../messages/notification.ts";
import { exponential } from "../model/job.ts";
import { type ArgsOf, notifySender } from "../model/job_kinds.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";

/** Performs `notifySender`. A sender that is away for longer gets no notification. */
export const notifySenderHandler: JobHandler<ArgsOf<typeof notifySender>> = handler(notifySender, {
  maxAttempts: limits.notificationAttempts,
  retryMs: exponential(1_000, 60_000),

  async work({ accountSid, messageSid, disposition }, ports, { id, attempt }) {
    const message = await ports.records.messages.get(accountSid, messageSid);
    const login = /^client:(.+)$/.exec(message?.from ?? "")?.[1];
    if (!message?.notified || login === undefined) return;
    const holder = await ports.records.clients.holder("login", login);
    if (holder?.accountSid !== accountSid) return; // The login is of another account by now.
    const reason = disposition === "failed" ? failureOf(message) : undefined;
    const sent = ports.control.notification({
      id,
      login,
      from: message.to,
      messageId: message.notified.messageId,
      disposition,
      at: message.dateUpdated,
      ...reason !== undefined && { reason },
    });
    const statuses = await sent.catch(() => []); // No companion was reached.
    const isTold = statuses.some((status) => !isPassing(status));
    if (isTold || attempt >= limits.notificationAttempts) return;
    throw new Error(`no device of ${login} took the notification`);
  },
});
