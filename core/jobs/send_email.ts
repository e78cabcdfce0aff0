/**
 * E-mails stay as records for as long as messages do, with sender, recipients, subject, status and cause,
 * so that an account sees whether one was sent. Text and blind copies are removed after the last attempt.
 */
import { isTest } from "../accounts/access.ts";
import { plainReason } from "../base/plain_reason.ts";
import { Fault } from "../base/faults.ts";
import { exponential } from "../model/job.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import { type ArgsOf, sendEmail } from "../model/job_kinds.ts";
import { limits } from "../base/limits.ts";
import { type Notice, notification } from "../webhooks/notify.ts";
import { emailRequest } from "../webhooks/own_request.ts";
import type { Ports } from "../model/ports/ports.ts";
import { type Email, endedEmail } from "../model/resources/emails.ts";

/** Performs `sendEmail`. */
export const sendEmailHandler: JobHandler<ArgsOf<typeof sendEmail>> = handler(sendEmail, {
  maxAttempts: limits.emailAttempts,
  retryMs: exponential(5_000, 600_000),

  async work({ accountSid, emailSid }, ports, { signal }) {
    const email = await ports.records.emails.get(accountSid, emailSid);
    if (email === null || !isQueued(email)) return; // It was sent by a run that died meanwhile.
    const account = await ports.accounts.get(accountSid);
    if (account !== null && isTest(account)) {
      return await end(email, { status: "sent", cause: null }, ports);
    }
    if (ports.mailer === null) throw new Fault("unavailable", "SMTP_URL is not configured");
    const refused = await ports.mailer.send(email, signal);
    if (refused.length === 0) return await end(email, { status: "sent", cause: null }, ports);
    const cause = `to ${refused.join(", ")}: refused, others got it`;
    const notice = aboutEmail(email, ports, cause);
    await end(email, { status: "sent", cause }, ports, {
      ...notice,
      fault: "emailRefused",
      level: "warning",
    });
  },

  async spent({ accountSid, emailSid }, ports, error) {
    const email = await ports.records.emails.get(accountSid, emailSid);
    if (email === null || !isQueued(email)) return [];
    const isRefused = error instanceof Fault && error.fault === "emailRefused";
    const why = isRefused ? error.detail : plainReason(error);
    const cause = `to ${email.to}: ${why}`;
    await end(email, { status: "failed", cause }, ports, {
      ...aboutEmail(email, ports, cause),
      fault: isRefused ? "emailRefused" : "emailNotSent",
      level: "error",
    });
    return [];
  },
});

const aboutEmail = (email: Email, ports: Ports, detail: string) => ({
  accountSid: email.accountSid,
  callSid: null,
  detail: `${email.sid} ${detail}`,
  exchange: emailRequest(email, ports),
});

/** An e-mail stored by a version without statuses waits to be sent. */
const isQueued = ({ status }: Email): boolean => (status ?? "queued") === "queued";

/** Sets the status of an e-mail, and removes its text. */
async function end(
  { accountSid, sid }: Email,
  outcome: Pick<Email, "status" | "cause">,
  ports: Ports,
  notice?: Notice,
): Promise<void> {
  const also = notice === undefined ? [] : [notification(notice, ports)];
  const ended = { ...outcome, now: ports.now() };
  await ports.records.emails.update(accountSid, sid, (record) => ({
    record: endedEmail(record, ended),
    also,
  }));
}
