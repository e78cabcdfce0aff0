import type { LookupAddress } from "node:dns";
import { isIP } from "node:net";
import { createTransport } from "nodemailer";
import { Fault } from "../../base/faults.ts";
import { limits } from "../../base/limits.ts";
import { type Names, names } from "../net/names.ts";
import type { Mailer } from "../../model/ports/providers.ts";

type Email = Parameters<Mailer["send"]>[0];

/** Sends e-mail by the SMTP server at a URL (RFC 5321), one connection for each message. */
export function smtpMailer(url: string, domain: string, by: Names = names): Mailer {
  const timeouts = {
    connectionTimeout: limits.emailTimeoutMs,
    greetingTimeout: limits.emailTimeoutMs,
    socketTimeout: limits.emailTimeoutMs,
  };
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  return {
    async send(email, signal) {
      // The library would ask the system for names that its own look-up does not find.
      const address = anyOf(await by.addressesOf(host));
      const transport = createTransport({
        url: at(url, address),
        ...isIP(host) === 0 && { servername: host },
        name: domain, // For EHLO; without one the library asks the system for the host's.
        ...timeouts,
      });
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

/** One of the addresses, IPv4 where there is one: the next attempt may take another. */
function anyOf(found: readonly LookupAddress[]): string {
  const ipv4 = found.filter(({ family }) => family === 4);
  const among = ipv4.length > 0 ? ipv4 : found;
  const one = among[Math.floor(Math.random() * among.length)];
  if (one === undefined) throw new Error("Cannot reach the mail server: its name has no address");
  return one.address;
}

/** A URL with an address in place of its host. */
function at(url: string, address: string): string {
  const target = new URL(url);
  target.hostname = isIP(address) === 6 ? `[${address}]` : address;
  return target.href;
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
