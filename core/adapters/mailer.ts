import { createTransport } from "nodemailer";
import { Fault } from "../base/faults.ts";
import { limits } from "../base/limits.ts";
import { names } from "../net/names.ts";
import type { Mailer } from "../ports/providers.ts";

type Email = Parameters<Mailer["send"]>[0];

/** Sends e-mail by the SMTP server at a URL (RFC 5321), one connection for each message. */
export function smtpMailer(url: string, domain: string): Mailer {
  const timeouts = {
    connectionTimeout: limits.emailTimeoutMs,
    greetingTimeout: limits.emailTimeoutMs,
    socketTimeout: limits.emailTimeoutMs,
  };
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  return {
    async send(email, signal) {
      // The library asks the system for names that its own look-up does not find.
      await names.addressesOf(host);
      // The name is for EHLO; without one the library asks the system for the host's.
      const transport = createTransport({ url, name: domain, ...timeouts });
      const close = () => transport.close();
      signal.addEventListener("abort", close);
      try {
        const { rejected } = await transport.sendMail(mailOf(email, domain));
        return rejected.map(String);
      } catch (cause) {
        throw isRefusal(cause) ? new Fault("emailRefused", cause.message, { cause }) : cause;
      } finally {
        signal.removeEventListener("abort", close);
        transport.close();
      }
    },
  };
}

/** An e-mail as the library takes it. */
export const mailOf = (
  { sid, from, to, cc, bcc, subject, body, dateSent }: Email,
  domain: string,
) => ({
  from,
  to: list(to),
  cc: list(cc),
  bcc: list(bcc),
  subject,
  text: body,
  date: new Date(dateSent),
  messageId: `<${sid}@${domain}>`,
  // Nothing of the message may make the library read files or URLs.
  disableFileAccess: true,
  disableUrlAccess: true,
});

const list = (addresses: string | null): string[] =>
  addresses === null ? [] : addresses.split(",").map((address) => address.trim());

/** A 5xx reply is permanent (RFC 5321 §4.2.1), unless it is about our own credentials. */
const isRefusal = (error: unknown): error is Error =>
  error instanceof Error && "responseCode" in error && Number(error.responseCode) >= 500 &&
  !("code" in error && error.code === "EAUTH");
