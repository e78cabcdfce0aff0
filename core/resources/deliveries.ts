import { z } from "zod";
import { formText, isoDate, method, reference, url } from "../base/fields.ts";
import { limits } from "../base/limits.ts";
import { type RecordOf, resource } from "../model/resource.ts";

/** One request of a delivery, and what came of it. */
const attempt = z.object({
  startTime: isoDate,
  /** In ms. */
  duration: z.number().int().nonnegative(),
  /** Of the answer; null when there was none, as for the next two. */
  status: z.number().int().nullable(),
  /** One a line. */
  responseHeaders: z.string().nullable(),
  /** Its first KiB. */
  responseBody: z.string().nullable(),
  /** Why the attempt failed; null when it did not. */
  error: z.string().nullable(),
});

export type DeliveryAttempt = z.infer<typeof attempt>;

/** A webhook: one request to a customer's server, with all its attempts. */
export const deliveries = resource({
  type: "Delivery",
  path: "Webhooks/Deliveries",
  sidPrefix: "WD",
  fields: {
    status: z.enum(["queued", "delivered", "failed"]),
    /** Without its credentials. */
    url,
    method,
    requestVariables: formText,
    /** What it tells of, such as `call.completed`; null when nobody said. */
    event: z.string().nullable(),
    callSid: reference("CA").nullable(),
    messageSid: reference("SM").nullable(),
    /** All that were ever made; `attempts` are the latest of them. */
    attemptCount: z.number().int().nonnegative(),
    attempts: z.array(attempt),
    /** When its cause happened. */
    startTime: isoDate,
    apiVersion: z.string(),
    /** User and password of the URL, joined by a colon and percent-encoded. */
    credentials: z.string().nullable(),
  },
  hidden: ["credentials"],
  secret: ["credentials"],
  filters: { status: "equals", url: "equals", callSid: "equals" },
  period: { start: "startTime", end: "startTime" },
  paged: true,
});

/** What may be asked of a delivery. */
export const replayParams = z.object({ replay: z.enum(["true"]) });

export type Delivery = RecordOf<typeof deliveries>;

/** The delivery after one more attempt; of those before, as many stay as there is room for. */
export function attempted(delivery: Delivery, made: DeliveryAttempt): Delivery {
  const all = [...delivery.attempts, made];
  const kept = all.slice(-limits.deliveryAttempts);
  while (kept.length > 1 && lengthOf(kept) > limits.deliveryAttemptsLength) kept.shift();
  return {
    ...delivery,
    attemptCount: delivery.attemptCount + 1,
    attempts: kept,
    dateUpdated: made.startTime + made.duration,
  };
}

const lengthOf = (attempts: DeliveryAttempt[]): number => JSON.stringify(attempts).length;
