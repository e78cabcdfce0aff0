import { z } from "zod";
import { formText, isoDate, method, reference, url } from "../../base/fields.ts";
import { limits } from "../../base/limits.ts";
import { type RecordOf, resource } from "../resource.ts";

/** One request of a delivery, and its result. */
const attempt = z.object({
  startTime: isoDate.describe("Date of the attempt."),
  duration: z.number().int().nonnegative().describe("Milliseconds that the attempt took."),
  status: z.number().int().nullable().describe(
    "HTTP status of the response, null without a response.",
  ),
  responseHeaders: z.string().nullable().describe(
    "Headers of the response, one a line; null without a response.",
  ),
  responseBody: z.string().nullable().describe(
    "First KiB of the body of the response, null without a response.",
  ),
  error: z.string().nullable().describe(
    "Cause of the failure of the attempt, null when it succeeded.",
  ),
});

export type DeliveryAttempt = z.infer<typeof attempt>;

/** A webhook: one request to a customer's server, with all its attempts. */
export const deliveries = resource({
  type: "Delivery",
  description: "A status callback that was sent or waits to be sent, with its attempts.",
  path: "Webhooks/Deliveries",
  sidPrefix: "WD",
  fields: {
    status: z.enum(["queued", "delivered", "failed"]).describe(
      "Status of the delivery: queued while attempts remain, then delivered or failed.",
    ),
    url: url.describe("URL of the request, without credentials."),
    method: method.describe("HTTP method of the request: GET or POST."),
    requestVariables: formText.describe("Parameters of the request, form-encoded."),
    event: z.string().nullable().describe(
      "Event that the callback reports, such as call.completed; null when unnamed.",
    ),
    callSid: reference("CA").nullable().describe(
      "Sid of the Call that the callback is about, null for any other.",
    ),
    messageSid: reference("SM").nullable().describe(
      "Sid of the message that the callback is about, null for any other.",
    ),
    attemptCount: z.number().int().nonnegative().describe("Number of attempts so far."),
    attempts: z.array(attempt).describe("Latest attempts, oldest first."),
    startTime: isoDate.describe("Date of the event."),
    apiVersion: z.string().describe("Version of the interface, always a date such as 2012-04-24."),
    requestId: z.string().nullable().describe(
      "X-Request-Id of the request that the callback comes from, null where there is none.",
    ),
    /** User and password of the URL, joined by a colon and percent-encoded. */
    credentials: z.string().nullable(),
  },
  hidden: ["credentials"],
  secret: ["credentials"],
  filters: { status: "equals", url: "equals", callSid: "equals" },
  period: { start: "startTime", end: "startTime" },
  isSeldomRead: ({ status }) => status !== "queued",
  paged: true,
});

/** Parameters of an update of a Delivery. */
export const replayParams = z.object({
  replay: z.enum(["true"]).describe(
    "Sends the callback again, as the same delivery: true. One that waits for its next attempt is sent at once.",
  ),
});

export type Delivery = RecordOf<typeof deliveries>;

/** The delivery after one more attempt; earlier ones stay up to the bound. */
export function attempted(delivery: Delivery, made: DeliveryAttempt): Delivery {
  const all = [...delivery.attempts, made];
  const kept = all.slice(-limits.deliveryAttemptsShown);
  while (kept.length > 1 && lengthOf(kept) > limits.deliveryAttemptsLength) kept.shift();
  return {
    ...delivery,
    attemptCount: delivery.attemptCount + 1,
    attempts: kept,
    dateUpdated: made.startTime + made.duration,
  };
}

const lengthOf = (attempts: DeliveryAttempt[]): number => JSON.stringify(attempts).length;
