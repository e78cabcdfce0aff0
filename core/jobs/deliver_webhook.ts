import { z } from "zod";
import { withoutCredentials } from "../exchange.ts";
import { Fault } from "../faults.ts";
import { customerLane, exponential, type Job, type JobHandler } from "../job.ts";
import { limits } from "../limits.ts";
import { notification } from "../notify.ts";
import type { AlsoUpdated, Base, Change } from "../ports.ts";
import { attempted, deliveries, type Delivery } from "../resources/deliveries.ts";
import type { Signable } from "../signature.ts";
import { hostOf } from "../url_host.ts";
import { AttemptFailed, attemptOf } from "../webhooks/attempt.ts";
import { shownRequest } from "../webhooks/request.ts";

const fault = "callbackFailed";

/** One request to tell a customer's server of something. */
export interface Webhook extends Signable {
  accountSid: string;
  callSid: string | null;
  /** Requests of one series to one host are made one after another; that of the call unless told. */
  series?: string;
  /** What it tells of, in two words: `call.completed`. */
  event?: string;
}

const args = z.object({ accountSid: z.string() });

const handler: JobHandler<z.infer<typeof args>> = {
  kind: "webhook.deliver",
  args,
  maxAttempts: ({ callbackAttempts }) => callbackAttempts,
  retryMs: exponential(5_000, 3_600_000, 4), // With six attempts the last is after 28 minutes.
  maxAgeMs: limits.deliveryWaitMs,

  async work({ accountSid }, ports, run) {
    const account = await ports.accounts.get(accountSid);
    const delivery = await ports.records.deliveries.get(accountSid, run.id);
    if (account === null || delivery?.status !== "queued") return;
    const { made, exchange } = await attemptOf(delivery, account, { ports, run });
    const done = updateOf(accountSid, run, (now) => ({
      ...attempted(now, made),
      status: "delivered",
    }));
    if (made.status! < 400) return [done];
    const detail = `the server answered ${made.status}`;
    const { callSid } = delivery;
    return [
      done,
      notification({ accountSid, callSid, fault, detail, level: "warning", exchange }, ports),
    ];
  },

  failed({ accountSid }, _ports, error, job) {
    if (!(error instanceof AttemptFailed)) return Promise.resolve([]);
    return Promise.resolve([updateOf(accountSid, job, (now) => attempted(now, error.made))]);
  },

  async spent({ accountSid }, ports, error, job) {
    const delivery = await ports.records.deliveries.get(accountSid, job.id);
    if (delivery === null) return [];
    const failed = error instanceof AttemptFailed ? error : undefined;
    const detail = `given up: ${error instanceof Error ? error.message : error}`;
    const exchange = failed?.exchange ?? shownRequest(delivery);
    const { callSid } = delivery;
    return [
      updateOf(accountSid, job, (now) => ({
        ...(failed === undefined ? now : attempted(now, failed.made)),
        status: "failed",
        dateUpdated: ports.now(),
      })),
      notification({ accountSid, callSid, fault, detail, level: "error", exchange }, ports),
    ];
  },
};

/**
 * Sends one status callback, shown as a Delivery. An answer below 500 counts as received, one from
 * 400 with a warning; everything else is tried again. `X-Switchboard-Delivery` is the Sid of the
 * Delivery, the same on every attempt and replay.
 */
export const deliverWebhook: ((webhook: Webhook) => Job) & typeof handler = Object.assign(
  (webhook: Webhook): Job => {
    const { accountSid } = webhook;
    const make = (base: Base) => deliveryOf(webhook, base);
    const shown = { into: "deliveries", sidPrefix: deliveries.sidPrefix, accountSid, make };
    return { ...jobOf(webhook), shown };
  },
  handler,
);

/** Sends a delivery that has come to its end once more, as the same delivery. */
export function replay(delivery: Delivery, now: number): Change<Delivery> {
  if (delivery.status === "queued") throw new Fault("deliveryQueued", delivery.sid);
  const record: Delivery = { ...delivery, status: "queued", dateUpdated: now };
  return { record, jobs: [{ ...jobOf(delivery), id: delivery.sid }] };
}

/** Its id is the Delivery's Sid. */
function jobOf(
  { accountSid, callSid, url, series = callSid ?? undefined }: Pick<
    Webhook,
    "accountSid" | "callSid" | "url" | "series"
  >,
): Job {
  return {
    kind: handler.kind,
    lane: customerLane("webhooks", hostOf(url), accountSid),
    args: { accountSid },
    ...series !== undefined && { series },
  };
}

function deliveryOf({ callSid, url, method, params, event }: Webhook, base: Base): Delivery {
  const { username, password } = URL.parse(url) ?? { username: "", password: "" };
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
    credentials: username === "" ? null : `${username}:${password}`,
  };
}

/** A change of the Delivery, written with the end of its job's run. */
const updateOf = (
  accountSid: string,
  { id: sid }: { id: string },
  change: (delivery: Delivery) => Delivery,
): AlsoUpdated => ({
  into: "deliveries",
  accountSid,
  sid,
  change: (record) => change(record as Delivery),
});
