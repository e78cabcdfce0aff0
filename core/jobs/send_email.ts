import { isTest } from "../accounts/access.ts";
import { plainReason } from "../base/plain_reason.ts";
import { Fault } from "../base/faults.ts";
import { exponential } from "../model/job.ts";
import { handler, type JobHandler } from "../ports/job_handler.ts";
import { type ArgsOf, sendEmail } from "../model/job_kinds.ts";
import { limits } from "../base/limits.ts";
import { type Notice, notification } from "../notifications/notify.ts";
import { emailRequest } from "../notifications/own_request.ts";
import type { Ports } from "../ports/ports.ts";
import type { Email } from "../resources/emails.ts";

/** Performs `sendEmail`. */
export const sendEmailHandler: JobHandler<ArgsOf<typeof sendEmail>> = handler(sendEmail, {
  maxAttempts: limits.emailAttempts,
  retryMs: exponential(5_000, 600_000),

  async work({ accountSid, emailSid }, ports, { signal }) {
    const email = await ports.records.emails.get(accountSid, emailSid);
    if (email === null) return; // It was sent by a run that died before it could say so.
    const account = await ports.accounts.get(accountSid);
    if (account !== null && isTest(account)) return await forget(email, ports);
    if (ports.mailer === null) throw new Fault("unavailable", "SMTP_URL is not configured");
    const refused = await ports.mailer.send(email, signal);
    if (refused.length === 0) return await forget(email, ports);
    await forget(email, ports, {
      ...aboutEmail(email, ports, `to ${refused.join(", ")}: refused, others got it`),
      fault: "emailRefused",
      level: "warning",
    });
  },

  async spent({ accountSid, emailSid }, ports, error) {
    const email = await ports.records.emails.get(accountSid, emailSid);
    if (email === null) return [];
    const isRefused = error instanceof Fault && error.fault === "emailRefused";
    const why = isRefused ? error.detail : plainReason(error);
    await forget(email, ports, {
      ...aboutEmail(email, ports, `to ${email.to}: ${why}`),
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

async function forget({ accountSid, sid }: Email, ports: Ports, notice?: Notice): Promise<void> {
  const also = notice === undefined ? [] : [notification(notice, ports)];
  await ports.records.emails.remove(accountSid, sid, (record) => ({ record, also }));
}
