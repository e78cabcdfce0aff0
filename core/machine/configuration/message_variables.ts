import { z } from "zod";
import type { EmailSender } from "../../model/values/settings.ts";
import { flag, httpUrl, listOf, same, type Variable } from "./variable.ts";

const smsRouteNames = ["smpp", "http", "gateway"];

/** A short code, or a name with a letter in it that neither begins nor ends with a space. */
const shortSender = /^(?:\d{3,8}|(?! )(?=.*[A-Za-z])[A-Za-z0-9 &+_-]{1,11}(?<! ))$/;

const emailSender = /^(?:AC[0-9a-f]{32}=)?[^\s@,=]{0,64}@[A-Za-z0-9.-]{1,253}$/;

/** An entry of EMAIL_SENDERS. */
export function emailSenderOf(entry: string): EmailSender {
  const [sender = "", accountSid = null] = entry.split("=").toReversed();
  return { accountSid, sender: sender.toLowerCase() };
}

/** The variables that are about messages, e-mail and look-ups of devices. */
export const messageVariables = {
  STRICT_SMS_FROM: {
    group: "messages",
    sets: { strictSmsFrom: same },
    schema: flag,
    fallback: "false",
    help: "true lets messages leave only from numbers of the account. Recommended in production.",
  },
  SMS_SHORT_CODES: {
    group: "messages",
    sets: { smsShortCodes: listOf },
    schema: z.string().refine(
      (list) => list === "" || list.split(",").every((sender) => shortSender.test(sender)),
      "must be short codes of 3 to 8 digits and names of at most 11 letters and digits, " +
        "separated by commas without spaces",
    ),
    fallback: "",
    help:
      "Short codes, and names of at most 11 letters and digits, that accounts may send from under STRICT_SMS_FROM, separated by commas.",
  },
  SMS_ROUTES: {
    group: "messages",
    schema: z.string().refine((list) => {
      const names = list.split(",");
      return names.every((name) => smsRouteNames.includes(name)) &&
        new Set(names).size === names.length;
    }, `must be some of ${smsRouteNames.join(", ")} separated by commas, each once`),
    fallback: smsRouteNames.join(","),
    help:
      "Ways by which messages to numbers elsewhere leave, in the order tried, of those set up: " +
      "smpp (SMPP_URL), http (SMS_URL), gateway (SIP MESSAGE by Gateways and OUTBOUND_PROXY).",
  },
  SMPP_URL: {
    group: "messages",
    schema: z.union([
      z.literal(""),
      z.url({ protocol: /^smpps?$/, error: "must be an smpp or smpps URL" }),
    ]),
    fallback: "",
    help: "Message center for SMPP 3.4: smpp://SYSTEM_ID:PASSWORD@HOST:PORT, smpps for TLS. Each " +
      "instance of the service binds by itself. Empty: none.",
    secret: ["service"],
  },
  SMPP_SYSTEM_TYPE: {
    group: "messages",
    schema: z.string().max(12),
    fallback: "",
    help: "System type that the message center asks for.",
  },
  SMPP_RECEIPTS: {
    group: "messages",
    schema: flag,
    fallback: "true",
    help: "false: the message center sends no delivery receipts, so what it took counts as sent.",
  },
  SMS_URL: {
    group: "messages",
    schema: z.union([z.literal(""), httpUrl], "must be an http or https URL"),
    fallback: "",
    help: "HTTP aggregator that takes messages as POSTs of JSON. Empty: none.",
  },
  SMS_TOKEN: {
    group: "messages",
    schema: z.string(),
    fallback: "",
    help: "Bearer token that SMS_URL expects.",
    secret: ["service"],
  },
  SMS_INBOUND_TOKEN: {
    group: "messages",
    schema: z.union([z.literal(""), z.string().min(16)], "must have at least 16 characters"),
    fallback: "",
    help: "Bearer token by which the aggregator hands messages and receipts to /sms. Empty: /sms " +
      "is not there.",
    secret: ["service"],
  },
  SMS_RATES_FILE: {
    group: "messages",
    schema: z.string().regex(/^[^,]*$/, "must not hold a comma"),
    fallback: "",
    help:
      "CSV of what messages cost that leave: number prefix, price of one. Empty: they are free.",
  },
  SMTP_URL: {
    group: "messages",
    schema: z.union([
      z.literal(""),
      z.url({ protocol: /^smtps?$/, error: "must be an smtp or smtps URL" }),
    ]),
    fallback: "",
    help: "Mail server for e-mail: smtp://USER:PASSWORD@HOST:PORT. Empty: none is sent.",
    secret: ["service"],
  },
  STRICT_EMAIL_FROM: {
    group: "messages",
    sets: { strictEmailFrom: same },
    schema: flag,
    fallback: ({ SMTP_URL }) => String(SMTP_URL !== ""),
    help:
      "true: e-mail leaves only from the EmailAddress of an account that the root account made, " +
      "for that account and those below it, and from EMAIL_SENDERS. The root account may use any " +
      "address. Default: true where SMTP_URL is set.",
  },
  EMAIL_SENDERS: {
    group: "messages",
    sets: { emailSenders: (list: string) => listOf(list).map(emailSenderOf) },
    schema: z.string().refine(
      (list) => list === "" || list.split(",").every((one) => emailSender.test(one)),
      "must be addresses (news@example.com) and domains (@example.com) separated by commas, each " +
        "with ACCOUNT_SID= before it where it is for that account alone",
    ),
    fallback: "",
    help:
      "Addresses (news@example.com) and domains (@example.com) that e-mail may leave from under " +
      "STRICT_EMAIL_FROM, separated by commas. ACCOUNT_SID=@example.com is for that account and " +
      "those below it.",
  },
  LOCATION_URL: {
    group: "messages",
    schema: z.union([z.literal(""), httpUrl], "must be an http or https URL"),
    fallback: "",
    help: "Location source asked, with ?msisdn=, where devices are. Empty: there is none.",
  },
} satisfies Record<string, Variable>;
