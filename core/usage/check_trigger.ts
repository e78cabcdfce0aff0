import { iso8601 } from "../base/wire.ts";
import { limits } from "../base/limits.ts";
import { exponential } from "../model/job.ts";
import { type ArgsOf, checkTrigger } from "../model/job_kinds.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import type { UsageTrigger } from "../model/resources/internal/usage_triggers.ts";
import { periodStart, triggerValue } from "./trigger_value.ts";
import { deliverWebhook } from "../webhooks/deliver.ts";

/** Time between two checks of a trigger, in ms. */
const everyMs = 60_000;

/** Performs `checkTrigger`: again each minute, but for one that has fired and does not recur. */
export const checkTriggerHandler: JobHandler<ArgsOf<typeof checkTrigger>> = handler(checkTrigger, {
  maxAttempts: 1_000,
  retryMs: exponential(1_000, 600_000),

  async work({ accountSid, triggerSid }, ports) {
    const { usageTriggers } = ports.records;
    const trigger = await usageTriggers.get(accountSid, triggerSid);
    if (trigger === null) return;
    const now = ports.now();
    const period = periodStart(trigger, now);
    const currentValue = await triggerValue(trigger, ports);
    await usageTriggers.update(accountSid, triggerSid, (found) => {
      const isDue = found.firedFor !== period && Number(currentValue) >= Number(found.triggerValue);
      const fired = isDue ? { dateFired: now, firedFor: period } : {};
      const record: UsageTrigger = { ...found, currentValue, ...fired };
      const isOver = record.recurring === "alltime" && record.dateFired !== null;
      return {
        record,
        jobs: [
          ...isDue ? [callback(record, now)] : [],
          ...isOver ? [] : [checkTrigger({ accountSid, triggerSid }, now + everyMs)],
        ],
      };
    });
  },
});

function callback(trigger: UsageTrigger, at: number) {
  const { accountSid, sid, usageCategory, callbackUrl: url, callbackMethod: method } = trigger;
  const params = {
    AccountSid: accountSid,
    UsageTriggerSid: sid,
    Recurring: trigger.recurring,
    UsageCategory: usageCategory,
    TriggerBy: trigger.triggerBy,
    TriggerValue: trigger.triggerValue,
    CurrentValue: trigger.currentValue,
    DateFired: iso8601(at),
    IdempotencyToken: `${sid}-${trigger.firedFor}`,
    UsageRecordUri:
      `/${limits.twilioApiVersion}/Accounts/${accountSid}/Usage/Records.json?Category=${usageCategory}`,
  };
  return deliverWebhook({
    accountSid,
    callSid: null,
    url,
    method,
    params,
    event: "usage.triggered",
  });
}
