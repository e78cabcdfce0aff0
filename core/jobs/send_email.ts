import { z } from "zod";
import { Fault } from "../faults.ts";
import { exponential, job, type JobKind } from "../job.ts";
import { limits } from "../limits.ts";
import { notification } from "../notify.ts";

const args = z.object({ accountSid: z.string(), emailSid: z.string() });

/**
 * Hands an e-mail to the mail server; one that is never taken leaves a Notification. Either way the
 * e-mail is then forgotten.
 */
export const sendEmail: JobKind<z.infer<typeof args>> = job({
  kind: "email.send",
  args,
  lane: () => "email",
  maxAttempts: limits.emailAttempts,
  retryMs: exponential(5_000, 600_000),

  async work({ accountSid, emailSid }, { records, mailer }, { signal }) {
    const email = await records.emails.get(accountSid, emailSid);
    if (email === null) return; // It was sent by a run that died before it could say so.
    if (mailer === null) throw new Fault("unavailable", "SMTP_URL is not configured");
    await mailer.send(email, signal);
    await records.emails.remove(accountSid, emailSid);
  },

  async spent({ accountSid, emailSid }, ports, error) {
    const email = await ports.records.emails.get(accountSid, emailSid);
    if (email === null) return [];
    const isRefused = error instanceof Fault && error.fault === "emailRefused";
    const fault = isRefused ? "emailRefused" : "emailNotSent";
    const why = isRefused ? error.detail : error instanceof Error ? error.message : String(error);
    const detail = `${emailSid} to ${email.to}: ${why}`;
    const notice = { accountSid, callSid: null, fault, detail, level: "error" } as const;
    await ports.records.emails.remove(accountSid, emailSid, (record) => ({
      record,
      also: [notification(notice, ports)],
    }));
    return [];
  },
});
