import { z } from "zod";
import { withoutCredentials } from "../base/exchange.ts";
import { Fault } from "../base/faults.ts";
import { customerLane, type Job } from "../model/job.ts";
import { currentRequestId } from "../base/origin.ts";
import { limits } from "../base/limits.ts";
import type { Base } from "../base/record.ts";
import { deliveries, type Delivery } from "../model/resources/deliveries.ts";
import type { Signable } from "../base/signature.ts";
import type { Change } from "../model/store.ts";
import { hostOf } from "../base/url_host.ts";

/** One request that reports an event to a customer's server. */
export interface Webhook extends Signable {
  accountSid: string;
  callSid: string | null;
  /** Requests of one series to one host are made one after another. Default: the series of the call. */
  series?: string;
  /** The name of the event, in two words: `call.completed`. */
  event?: string;
  /** The X-Request-Id that it comes from. Default: that of the work at hand. */
  requestId?: string | null;
}

/** The kind of job that `deliverWebhook` builds; `jobs/deliver_webhook.ts` performs it. */
export const webhookDelivery = {
  kind: "webhook.deliver",
  args: z.object({ accountSid: z.string() }),
};

/**
 * Sends one status callback, shown as a Delivery. An answer below 500 counts as received, one from
 * 400 with a warning; everything else is tried again. `X-Switchboard-Delivery` is the Sid of the
 * Delivery, the same on every attempt and replay.
 */
export function deliverWebhook(webhook: Webhook): Job {
  const { accountSid } = webhook;
  const make = (base: Base) => ({ into: "deliveries" as const, record: deliveryOf(webhook, base) });
  const shown = { sidPrefix: deliveries.sidPrefix, accountSid, make };
  return { ...jobOf(webhook), shown };
}

/** Sends a delivery that has come to its end once more, as the same delivery. */
export function replay(delivery: Delivery, now: number): Change<Delivery> {
  if (delivery.status === "queued") throw new Fault("deliveryQueued", delivery.sid);
  const record: Delivery = { ...delivery, status: "queued", dateUpdated: now };
  return { record, jobs: [{ ...jobOf(delivery), id: delivery.sid }] };
}

/** The lane that the attempts of a Delivery wait in. */
export const laneOf = ({ url, accountSid }: Pick<Delivery, "url" | "accountSid">): string =>
  customerLane("webhooks", hostOf(url), accountSid);

/** Its id is the Delivery's Sid. */
function jobOf(
  { accountSid, callSid, url, series = callSid ?? undefined }: Pick<
    Webhook,
    "accountSid" | "callSid" | "url" | "series"
  >,
): Job {
  return {
    kind: webhookDelivery.kind,
    lane: laneOf({ url, accountSid }),
    args: { accountSid },
    ...series !== undefined && { series },
  };
}

function deliveryOf(
  { callSid, url, method, params, event, requestId }: Webhook,
  base: Base,
): Delivery {
  return {
    ...base,
    status: "queued",
    url: withoutCredentials(url),
    method,
    requestVariables: params,
    event: event ?? null,
    callSid,
    messageSid: params.MessageSid ?? null,
    attemptCount: 0,
    attempts: [],
    startTime: base.dateCreated,
    apiVersion: limits.apiVersion,
    requestId: requestId ?? currentRequestId(),
    credentials: credentialsIn(url),
  };
}

function credentialsIn(url: string): string | null {
  const { username = "", password = "" } = url.includes("@") ? URL.parse(url) ?? {} : {};
  return username === "" ? null : `${username}:${password}`;
}
