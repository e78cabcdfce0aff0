import { z } from "zod";
import { isoDate, method, phoneText, url } from "../base/fields.ts";
import { sendMessage } from "../model/job_kinds.ts";
import { limits } from "../base/limits.ts";
import { type RecordOf, resource } from "../model/resource.ts";

const body = z.string().min(1).refine(
  (text) => [...text].length <= limits.messageLength,
  {
    error: `must have at most ${limits.messageLength} characters`,
    params: { fault: "bodyTooLong" },
  },
);

/** A text message, sent or received. */
export const messages = resource({
  type: "SMSMessage",
  path: "SMS/Messages",
  listType: "SMSMessages",
  sidPrefix: "SM",
  fields: {
    dateSent: isoDate.nullable(),
    from: phoneText().trim().min(1).max(255),
    to: phoneText().trim().min(1).max(255),
    body,
    status: z.enum(["queued", "sending", "sent", "failed", "received"]),
    direction: z.enum(["inbound", "outbound-api", "outbound-call"]),
    price: z.string().nullable(),
    priceUnit: z.string().nullable(),
    apiVersion: z.string(),

    statusCallback: url.nullable(),
    statusCallbackMethod: method,
    /** The code of the fault that it failed with. */
    errorCode: z.number().int().nullable(),
    /** X- and User-to-User headers of the SIP MESSAGE that it came by. */
    sipHeaders: z.record(z.string(), z.string()).nullable(),
    /** What the carrier knows it by: of one sent, while its receipt is awaited. */
    carrierId: z.string().nullable(),
    /** The same of one that came in, of which there is only one then. */
    arrivalId: z.string().nullable(),
  },
  hidden: [
    "statusCallback",
    "statusCallbackMethod",
    "errorCode",
    "sipHeaders",
    "carrierId",
    "arrivalId",
  ],
  unique: ["arrivalId"],
  create: {
    required: ["from", "to", "body"],
    optional: ["statusCallback", "statusCallbackMethod"],
  },
  aliases: { statusCallback: "statusCallback", statusCallbackMethod: "statusCallbackMethod" },
  faults: { from: "badFrom", to: "badTo", body: "emptyBody" },
  defaults: {
    dateSent: null,
    status: "sending",
    direction: "outbound-api",
    price: null,
    priceUnit: null,
    apiVersion: limits.apiVersion,
    statusCallback: null,
    statusCallbackMethod: "POST",
    errorCode: null,
    sipHeaders: null,
    carrierId: null,
    arrivalId: null,
  },
  groups: { carrierIds: ({ carrierId }) => carrierId },
  filters: { to: "address", from: "address", body: "contains" },
  created: (message) => ({
    record: message,
    jobs: [sendMessage({ accountSid: message.accountSid, messageSid: message.sid })],
  }),
  period: { start: "dateCreated", end: "dateCreated" },
  paged: true,
});

export type Message = RecordOf<typeof messages>;
