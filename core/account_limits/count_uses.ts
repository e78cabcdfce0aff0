import { batches, subtree } from "../accounts/walk.ts";
import { Fault } from "../base/faults.ts";
import { exponential } from "../model/job.ts";
import { type ArgsOf, countUses } from "../model/job_kinds.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Call } from "../model/resources/calls.ts";
import { callStatus, isLive } from "../model/values/status.ts";
import { dayMs } from "../model/values/account_limits.ts";
import { countingOf, minutesBegun } from "../calls/counted_minutes.ts";

/** Performs `countUses`. */
export const countUsesHandler: JobHandler<ArgsOf<typeof countUses>> = handler(countUses, {
  maxAttempts: 20,
  retryMs: exponential(250, 30_000),
  work: (args, ports) => countEarlierUses(args, ports),
});

/**
 * Counts earlier uses for the first limits of an account: its live calls, and the charges of this
 * day of it and the accounts below it. Idempotent: each record names the accounts that count it,
 * and the sums are added once.
 */
export async function countEarlierUses(
  { accountSid, since }: ArgsOf<typeof countUses>,
  ports: Ports,
): Promise<void> {
  const from = since - since % dayMs;
  const sums = { texts: 0, spentMicros: 0 };
  for await (const sid of subtree(accountSid, ports.accounts)) {
    await countLiveCalls(sid, { accountSid, since }, ports);
    for (const { day, sums: charged } of await ports.ledger.days(sid, { from, before: from + 1 })) {
      if (day !== from) continue;
      for (const { category, count, priceMicros } of charged) {
        sums.spentMicros += priceMicros;
        if (category === "sms") sums.texts += count;
      }
    }
  }
  await ports.accounts.countEarlier(accountSid, { since, ...sums });
}

async function countLiveCalls(
  sid: string,
  counting: { accountSid: string; since: number },
  { records, now }: Ports,
): Promise<void> {
  for (const status of callStatus.options.filter(isLive)) {
    const where = [{ field: "status", op: "equals" as const, value: status }];
    for await (const calls of batches(records.calls, sid, where)) {
      for (const { sid: callSid, direction } of calls) {
        if (direction === "inbound") continue;
        await records.calls.update(sid, callSid, (call) => {
          const record = countedBy(call, counting, now());
          return record === call ? { record } : { record, jobs: countingOf(record) };
        }).catch(throwUnlessMissing);
      }
    }
  }
}

/** A live call that an account's limits count from now on. */
function countedBy(
  call: Call,
  { accountSid, since }: { accountSid: string; since: number },
  now: number,
): Call {
  const known = call.limitedBy ?? [];
  const isKnown = known.some(([sid, at]) => sid === accountSid && at === since);
  if (isKnown || !isLive(call.status)) return call;
  const countedMinutes = Math.max(call.countedMinutes ?? 1, minutesBegun(call, now));
  return { ...call, limitedBy: [...known, [accountSid, since]], countedMinutes };
}

function throwUnlessMissing(error: unknown): void {
  if (!(error instanceof Fault && error.fault === "notFound")) throw error;
}
