import { batches, subtree } from "../accounts/walk.ts";
import { Fault } from "../base/faults.ts";
import { exponential } from "../model/job.ts";
import { type ArgsOf, endPaidCalls } from "../model/job_kinds.ts";
import { notify } from "../notifications/notify.ts";
import { handler, type JobHandler } from "../ports/job_handler.ts";
import type { Ports } from "../ports/ports.ts";
import { modifyCall } from "../reports/modify_call.ts";
import type { Call } from "../resources/calls.ts";
import { limitFaults, limitNames, limitText, useAt, usedOf } from "../values/account_limits.ts";
import { callStatus, isLive } from "../values/status.ts";

const limit = "maxSpendMicros";

/**
 * Performs `endPaidCalls`: after a limit of money was lowered to less than what is used, no call that
 * costs money goes on.
 */
export const endPaidCallsHandler: JobHandler<ArgsOf<typeof endPaidCalls>> = handler(endPaidCalls, {
  maxAttempts: 10,
  retryMs: exponential(250, 30_000),

  async work({ accountSid }, ports, { signal }) {
    const own = (await ports.accounts.limitStates(accountSid)).find(({ level }) => level === 0);
    const most = own?.state.limits[limit] ?? null;
    if (own === undefined || most === null) return;
    if (usedOf(useAt(own.state.use, ports.now()), limit) <= most) return;
    const detail = `the call was ended: ${limitNames[limit]} is ${limitText(limit, most)} now`;
    const failures: unknown[] = [];
    for await (const sid of subtree(accountSid, ports.accounts)) {
      for (const status of callStatus.options.filter(isLive)) {
        const where = [{ field: "status", op: "equals" as const, value: status }];
        for await (const calls of batches(ports.records.calls, sid, where)) {
          signal.throwIfAborted();
          const paid = calls.filter(({ rateMicros }) => rateMicros > 0);
          const ends = await Promise.allSettled(paid.map((call) => end(call, detail, ports)));
          failures.push(...ends.flatMap((end) => end.status === "rejected" ? [end.reason] : []));
        }
      }
    }
    if (failures.length > 0) throw failures[0];
  },
});

async function end({ accountSid, sid: callSid }: Call, detail: string, ports: Ports) {
  try {
    await modifyCall({ accountSid, callSid }, { status: "completed" }, ports);
  } catch (error) {
    const hasEnded = error instanceof Fault && error.fault === "callEnded";
    if (hasEnded) return;
    throw error;
  }
  const cause = { at: ports.now(), id: `${callSid} ${limit}` };
  const notice = { accountSid, callSid, fault: limitFaults[limit], detail, cause } as const;
  await notify({ ...notice, level: "error" }, ports);
}
