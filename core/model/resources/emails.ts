import { z } from "zod";
import { isoDate, oneLine } from "../../base/fields.ts";
import { sendEmail } from "../job_kinds.ts";
import { limits } from "../../base/limits.ts";
import { type AnyResource, type RecordOf, resource } from "../resource.ts";

const address = z.email().max(254);

const each = (text: string): string[] => text.split(",").map((one) => one.trim());

/** Bare addresses, separated by commas; stored without the spaces around them. */
const addresses = z.string().superRefine((text, { addIssue }) => {
  const found = each(text);
  if (!found.every((one) => address.safeParse(one).success)) {
    addIssue("must be e-mail addresses, separated by commas");
  } else if (found.length > limits.emailRecipients) {
    addIssue(`must have at most ${limits.emailRecipients} addresses`);
  }
}).transform((text) => each(text).join(", "));

/** An e-mail message. Once it was sent, or cannot be, its text and its blind copies are forgotten. */
export const emails = resource({
  type: "EmailMessage",
  description:
    "An e-mail message that the service sends. A failure is a Notification with the code 13250 or " +
    "13251; what became of each is listed as EmailRecord.",
  path: "Email/Messages",
  sidPrefix: "EM",
  irregular: true,
  fields: {
    dateSent: isoDate.describe("Date when the message was accepted for sending."),
    from: address.describe("E-mail address of the sender."),
    to: addresses.describe("E-mail addresses of the recipients, separated by commas."),
    body: z.string().min(1).max(limits.parameterLength).describe("Text of the message."),
    subject: oneLine(limits.subjectLength).describe("Subject of the message, one line."),
    cc: addresses.nullable().describe(
      "E-mail addresses of recipients of copies, separated by commas.",
    ),
    bcc: addresses.nullable().describe(
      "E-mail addresses of recipients of blind copies, separated by commas.",
    ),

    status: z.enum(["queued", "sent", "failed"]).describe(
      "Status of the message: queued, then sent or failed.",
    ),
    cause: z.string().nullable().describe(
      "Why it failed, or which recipients were refused; null otherwise.",
    ),
  },
  hidden: ["sid", "dateCreated", "dateUpdated", "cc", "bcc", "status", "cause"],
  create: { required: ["from", "to", "body", "subject"], optional: ["cc", "bcc"] },
  defaults: { cc: null, bcc: null, status: "queued", cause: null },
  uses: ({ to, cc, bcc }) => {
    const emails = [to, cc, bcc].flatMap((list) => list === null ? [] : each(list)).length;
    return { isCall: false, isText: false, emails, reservedMicros: 0 };
  },
  created: (email) => ({
    record: { ...email, dateSent: email.dateCreated },
    jobs: [sendEmail({ accountSid: email.accountSid, emailSid: email.sid })],
  }),
});

export type Email = RecordOf<typeof emails>;

/** Record of an e-mail message, as its list shows it. */
export const emailRecords: AnyResource = {
  type: "EmailRecord",
  description: "An e-mail message that was sent or waits to be sent, without its text.",
  path: emails.path,
  sidPrefix: emails.sidPrefix,
  irregular: true,
  fields: emails.fields,
  hidden: ["body", "bcc"],
  paged: true,
};

/** The same after its last attempt. */
export const endedEmail = (
  email: Email,
  { status, cause, now }: Pick<Email, "status" | "cause"> & { now: number },
): Email => ({ ...email, status, cause, body: "", bcc: null, dateUpdated: now });
