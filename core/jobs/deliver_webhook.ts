import { plainReason } from "../base/plain_reason.ts";
import { exponential } from "../model/job.ts";
import type { JobHandler } from "../model/ports/job_handler.ts";
import { limits } from "../base/limits.ts";
import { notification } from "../webhooks/notify.ts";
import { attempted, type Delivery } from "../model/resources/deliveries.ts";
import type { AlsoUpdated } from "../model/record_types.ts";
import { AttemptFailed, attemptOf } from "../webhooks/attempt.ts";
import { webhookDelivery } from "../webhooks/deliver.ts";
import { hostOf } from "../base/url_host.ts";
import { shownRequest } from "../webhooks/request.ts";

const fault = "callbackFailed";

/** Performs `deliverWebhook`. */
export const deliverWebhookHandler: JobHandler<{ accountSid: string }> = {
  ...webhookDelivery,
  maxAttempts: ({ webhookMaxAttempts }) => webhookMaxAttempts,
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
    if (made.status === null || made.status < 400) return [done];
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
    const detail = `given up: ${plainReason(error)}`;
    const exchange = failed?.exchange ?? shownRequest(delivery);
    const { callSid } = delivery;
    ports.log("Gave up a webhook", {
      level: "warn",
      accountSid,
      callSid,
      deliverySid: job.id,
      host: hostOf(delivery.url),
      reason: plainReason(error),
    });
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

/** A change of the Delivery, written with the end of its job's run. */
const updateOf = (
  accountSid: string,
  { id: sid }: { id: string },
  change: (delivery: Delivery) => Delivery,
): AlsoUpdated => ({
  into: "deliveries",
  accountSid,
  sid,
  change,
});
