import type { FaultEntry } from "./fault_entry.ts";

/** Messages, e-mail and look-ups of devices. */
export const messageFaults = {
  senderNotAllowed: {
    kind: "invalid",
    code: 21606,
    message: "Cannot send from this sender",
    advice: "Send as From an SMS-capable number of the account, or a short code or name that the " +
      "operator allows.",
  },
  emailSenderNotAllowed: {
    kind: "invalid",
    code: 21607,
    message: "Cannot send e-mail from this address",
    advice: "Send as From the EmailAddress of the account that the root account made, or an " +
      "address that the operator allows by EMAIL_SENDERS.",
  },
  textsPerDayLimit: {
    kind: "throttled",
    code: 20432,
    message: "Cannot send more messages today",
    advice: "Wait until midnight UTC. The text names the limit, and who can raise it: limits are " +
      "set for each account by the account above, below Accounts/{Sid}/Limits.",
  },
  emailsPerDayLimit: {
    kind: "throttled",
    code: 20437,
    message: "Cannot send more e-mails today",
    advice:
      "Wait until midnight UTC. Each recipient counts. The text names the limit, and who can " +
      "raise it: limits are set for each account by the account above, below " +
      "Accounts/{Sid}/Limits.",
  },
  emptyBody: {
    kind: "invalid",
    code: 21602,
    message: "Cannot send a message with an empty Body",
    advice: "Give a Body of 1 to 160 characters.",
  },
  bodyTooLong: {
    kind: "invalid",
    code: 21605,
    message: "Cannot send the message: its Body is too long",
    advice: "Give a Body of 1 to 160 characters.",
  },
  textTooLong: {
    kind: "invalid",
    code: 21617,
    message: "Cannot send the message: its Body is too long",
    advice: "Give a Body of 1 to 1,600 characters.",
  },
  noMessageRoute: {
    kind: "invalid",
    code: 21612,
    message: "Cannot route the message",
    advice: "The operator configures a route to the number or Client in To, and allows its " +
      "destination by DESTINATION_PREFIXES.",
  },
  messageNotEnded: {
    kind: "conflict",
    code: 20009,
    message: "Cannot change or delete a message that is being sent",
    advice: "Wait until its status is sent, delivered, undelivered, failed or received.",
  },
  badSchedule: {
    kind: "invalid",
    code: 35114,
    message: "Cannot schedule the message for this time",
    advice: "Send as SendAt an ISO 8601 time with its offset, at most 35 days ahead.",
  },
  messageNotScheduled: {
    kind: "conflict",
    code: 30409,
    message: "Cannot cancel a message that does not wait for its time",
    advice: "Only a message with SendAt can be canceled, before that time.",
  },
  messageCanceled: {
    kind: "invalid",
    code: 30010,
    message: "The message was canceled before it was sent",
    advice: "Nothing needs to be done: a request with Status=canceled asked for it.",
  },
  messageExpired: {
    kind: "unavailable",
    code: 30036,
    message: "Cannot send the message within its ValidityPeriod",
    advice: "No route took the message in time. Send it again, or with a longer ValidityPeriod.",
  },
  messageNotSent: {
    kind: "unavailable",
    code: 30008,
    message: "Cannot send the message",
    advice: "The route to the number did not accept the message. Send it again later.",
  },
  messageUndelivered: {
    kind: "unavailable",
    code: 30005,
    message: "Cannot deliver the message",
    advice: "The carrier accepted the message but did not deliver it. Check the number in To.",
  },
  messageRefused: {
    kind: "invalid",
    code: 30007,
    message: "Cannot send the message: the recipient or the carrier refused it",
    advice:
      "The message quotes the response of the softphone or the carrier. Change the message: " +
      "a retry gets the same response.",
  },
  messageFlood: {
    kind: "throttled",
    code: 14107,
    message: "Cannot accept so many messages from one sender to one recipient",
    advice: "Look for two programs that reply to each other. The service accepts messages again " +
      "after the seconds in the message.",
  },
  numberWithoutSmsUrl: {
    kind: "invalid",
    code: 14108,
    message: "Cannot pass the message to an application",
    advice: "Set SmsUrl of the number, or SmsApplicationSid to an Application of Kind sms that " +
      "has a Flow or an RcmlUrl.",
  },
  messageIncomplete: {
    kind: "unavailable",
    code: 14109,
    message: "Cannot receive all parts of a long message",
    advice:
      "The carrier did not send the other parts in time. Ask the sender to send the message " +
      "again.",
  },
  emailNotSent: {
    kind: "unavailable",
    code: 13250,
    message: "Cannot send the e-mail",
    advice:
      "The service tried six times in three to six minutes. The message has the last response of " +
      "the mail server, or why it was not reached. The operator checks SMTP_URL: host, port, user " +
      "and password. Then send the e-mail again.",
  },
  emailRefused: {
    kind: "invalid",
    code: 13251,
    message: "Cannot send the e-mail: the mail server refused it",
    advice: "The message quotes the response of the mail server and names the recipients that it " +
      "refused. Correct From and those addresses. The service does not try again.",
  },
  notLocated: {
    kind: "unavailable",
    code: 13240,
    message: "Cannot locate the device",
    advice: "The operator configures a location source (LOCATION_URL) that knows the number.",
  },
} as const satisfies Record<string, FaultEntry>;
