import { z } from "zod";
import { instant, isoDate, method, phoneText, url, wholeNumber } from "../../base/fields.ts";
import { lapseMessage, releaseMessage, sendMessage } from "../job_kinds.ts";
import type { FaultName } from "../../base/faults.ts";
import { currentRequestId } from "../../base/origin.ts";
import { limits } from "../../base/limits.ts";
import { notifiedMessage } from "../../protocol/messages.ts";
import { informational } from "./internal/informational.ts";
import { limitedBy } from "./internal/limited_by.ts";
import { scheduleLimits } from "../values/schedule_limits.ts";
import { type RecordOf, resource } from "../resource.ts";

/** A text of at most `most` characters; a longer one is refused with `fault`. */
const bodyOf = (most: number, fault: FaultName) =>
  z.string().refine((text) => [...text].length <= most, {
    error: `must have at most ${most} characters`,
    params: { fault },
  });

const body = bodyOf(limits.messageLength, "bodyTooLong").min(1);

/** A text of up to 1,600 characters, as long as Twilio takes. */
export const longBody = bodyOf(limits.arrivingLength, "textTooLong");

/** A text message, sent or received. */
export const messages = resource({
  type: "SMSMessage",
  description: "A text message that was sent or received.",
  path: "SMS/Messages",
  listType: "SMSMessages",
  sidPrefix: "SM",
  fields: {
    dateSent: isoDate.nullable().describe("Date when the message was sent, null before."),
    from: phoneText().trim().min(1).max(255).describe(
      "Sender: a phone number, a sender name or client: and the Login of a Client.",
    ),
    to: phoneText().trim().min(1).max(255).describe(
      "Recipient: a phone number in E.164 form, or client: and the Login of a Client.",
    ),
    body: body.describe("Text of the message."),
    status: z.enum(["queued", "sending", "sent", "failed", "received"]).describe(
      "Status of the message: queued, sending, then sent or failed; received for one that came in.",
    ),
    direction: z.enum(["inbound", "outbound-api", "outbound-call"]).describe(
      "Direction of the message: inbound, outbound-api (sent by a request) or outbound-call (sent by markup).",
    ),
    price: z.string().nullable().describe(
      "Price of the message as a decimal text, null before it is sent.",
    ),
    priceUnit: z.string().nullable().describe(
      "Currency of the price, null when none is configured.",
    ),
    apiVersion: z.string().describe("Version of the interface, always a date such as 2012-04-24."),

    statusCallback: url.nullable().describe(
      "URL of the callback that is sent when the message was sent or has failed.",
    ),
    statusCallbackMethod: method.describe(
      "HTTP method of the request to StatusCallback: GET or POST (default).",
    ),
    sendAt: instant.nullable().describe(
      "Time at which the message is sent, in ISO 8601, at most 35 days ahead; until then its Status is queued.",
    ),
    validityPeriod: wholeNumber(1, scheduleLimits.validityMaxS).nullable().describe(
      "Seconds within which the message is to be sent; later it fails.",
    ),
    /** The code of the fault that it failed with. */
    errorCode: z.number().int().nullable(),
    /** X- and User-to-User headers of the SIP MESSAGE that it came by, and parameters of its numbers. */
    sipHeaders: z.record(z.string(), z.string()).nullable(),
    /** Statement of the carrier about the sender's number (`verstat`); null without one. */
    stirVerstat: z.string().nullable(),
    /** Id at the carrier, while the receipt of a sent message is awaited. */
    carrierId: z.string().nullable(),
    /** The server of a Gateway that may have it, though it did not say so; null where none may. */
    heldBy: z.string().nullable(),
    /** The same of one that came in, of which there is only one then. */
    arrivalId: z.string().nullable(),
    /** A receipt of the carrier, a device of the Client or the service's own number says that it arrived. */
    isDelivered: z.boolean(),
    /** Notifications that the sender, a Client, requested (RFC 5438); null without a request. */
    notified: notifiedMessage.extend({ isDisplayed: z.boolean() }).nullable(),
    /** The X-Request-Id of the request that sent it; null of one that came in. */
    requestId: z.string().nullable(),
    /** Amount that limits of money reserve for it until it is sent, in millionths; null: none. */
    reservedMicros: z.number().int().nonnegative().nullable(),
    limitedBy,
    informational,
  },
  hidden: [
    "statusCallback",
    "statusCallbackMethod",
    "sendAt",
    "validityPeriod",
    "errorCode",
    "sipHeaders",
    "stirVerstat",
    "carrierId",
    "heldBy",
    "arrivalId",
    "isDelivered",
    "notified",
    "requestId",
    "reservedMicros",
    "limitedBy",
    "informational",
  ],
  unique: ["arrivalId"],
  create: {
    required: ["from", "to", "body"],
    optional: ["statusCallback", "statusCallbackMethod", "sendAt", "validityPeriod"],
  },
  aliases: { statusCallback: "statusCallback", statusCallbackMethod: "statusCallbackMethod" },
  faults: { from: "badFrom", to: "badTo", body: "emptyBody" },
  defaults: {
    requestId: currentRequestId,
    dateSent: null,
    status: "sending",
    direction: "outbound-api",
    price: null,
    priceUnit: null,
    apiVersion: limits.apiVersion,
    statusCallback: null,
    statusCallbackMethod: "POST",
    sendAt: null,
    validityPeriod: null,
    errorCode: null,
    sipHeaders: null,
    stirVerstat: null,
    carrierId: null,
    heldBy: null,
    arrivalId: null,
    isDelivered: false,
    notified: null,
    reservedMicros: null,
    limitedBy: null,
    informational: null,
  },
  groups: { carrierIds: ({ carrierId }) => carrierId },
  filters: { to: "address", from: "address", body: "contains" },
  created(message) {
    const { accountSid, sid: messageSid, dateCreated, sendAt, validityPeriod } = message;
    const named = { accountSid, messageSid };
    const lapsesAt = (sendAt ?? dateCreated) + (validityPeriod ?? 0) * 1_000;
    return {
      record: message,
      jobs: [
        sendAt === null ? sendMessage(named) : releaseMessage(named, sendAt),
        ...validityPeriod === null
          ? []
          : [{ ...lapseMessage(named, lapsesAt), isByDate: sendAt !== null }],
      ],
    };
  },
  uses: ({ direction, status, dateSent, reservedMicros }) => {
    if (direction === "inbound") return null;
    const isWaiting = (status === "queued" || status === "sending") && dateSent === null;
    const isText = status !== "failed";
    return { isCall: false, isText, reservedMicros: isWaiting ? reservedMicros ?? 0 : 0 };
  },
  period: { start: "dateCreated", end: "dateCreated" },
  paged: true,
});

export type Message = RecordOf<typeof messages>;
