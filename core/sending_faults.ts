import type { FaultEntry } from "./faults.ts";

/** The part of the table of faults that is about messages, e-mail and look-ups of devices. */
export const sendingFaults = {
  senderNotAllowed: {
    kind: "invalid",
    code: 21606,
    message: "Cannot send from this originator",
    advice: "Give an SMS-capable number of the account, or a short code the operator allows.",
  },
  emptyBody: {
    kind: "invalid",
    code: 21602,
    message: "Cannot send an empty message",
    advice: "Give a Body of 1 to 160 characters.",
  },
  bodyTooLong: {
    kind: "invalid",
    code: 21605,
    message: "Cannot send so long a message",
    advice: "Give a Body of 1 to 160 characters.",
  },
  noMessageRoute: {
    kind: "invalid",
    code: 21612,
    message: "Cannot route the message",
    advice: "The operator must configure a route to the number or the Client in To.",
  },
  messageNotSent: {
    kind: "unavailable",
    code: 30008,
    message: "Cannot send the message",
    advice: "The route to the number did not take the message. Send it again later.",
  },
  messageUndelivered: {
    kind: "unavailable",
    code: 30005,
    message: "Cannot deliver the message",
    advice: "The carrier took the message, and did not deliver it. Check the number in To.",
  },
  messageRefused: {
    kind: "invalid",
    code: 30007,
    message: "Cannot send the message: the recipient does not take it",
    advice:
      "The message tells what the Client's softphone or the carrier answered; it would again.",
  },
  messageFlood: {
    kind: "throttled",
    code: 14107,
    message: "Cannot take so many messages from one Client to one recipient",
    advice:
      "Look for two programs that answer each other. Messages are taken again a minute later.",
  },
  numberWithoutSmsUrl: {
    kind: "invalid",
    code: 14108,
    message: "Cannot hand the message to an application",
    advice: "Give the number an SmsUrl, or an application of the kind sms with a Flow or RcmlUrl.",
  },
  messageIncomplete: {
    kind: "unavailable",
    code: 14109,
    message: "Cannot receive the whole of a long message",
    advice: "Its other parts did not come from the carrier in time. Ask the sender for it again.",
  },
  emailNotSent: {
    kind: "unavailable",
    code: 13250,
    message: "Cannot send the e-mail",
    advice: "The message tells what the mail server answered. Correct the addresses or try later.",
  },
  emailRefused: {
    kind: "invalid",
    code: 13251,
    message: "Cannot send the e-mail: the mail server refuses it",
    advice: "The message tells what the mail server answered. Correct the addresses.",
  },
  notLocated: {
    kind: "unavailable",
    code: 13240,
    message: "Cannot locate the device",
    advice: "The operator must configure a location source (LOCATION_URL) that knows the number.",
  },
} as const satisfies Record<string, FaultEntry>;
