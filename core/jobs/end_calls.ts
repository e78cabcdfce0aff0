import { batches, subtree } from "../accounts/walk.ts";
import { modifyCall } from "../reports/modify_call.ts";
import { callStatus, isLive } from "../values/status.ts";
import { Fault } from "../base/faults.ts";
import { exponential } from "../model/job.ts";
import { handler, type JobHandler } from "../ports/job_handler.ts";
import { type ArgsOf, endCalls } from "../model/job_kinds.ts";
import type { Ports } from "../ports/ports.ts";
import type { Call } from "../resources/calls.ts";

/** Performs `endCalls`. */
export const endCallsHandler: JobHandler<ArgsOf<typeof endCalls>> = handler(endCalls, {
  maxAttempts: 10,
  retryMs: exponential(250, 30_000),

  async work({ accountSid }, ports, { signal }) {
    const failures: unknown[] = [];
    for await (const sid of subtree(accountSid, ports.accounts)) {
      for (const status of callStatus.options.filter(isLive)) {
        const where = [{ field: "status", op: "equals" as const, value: status }];
        for await (const calls of batches(ports.records.calls, sid, where)) {
          signal.throwIfAborted();
          const ends = await Promise.allSettled(calls.map((call) => end(call, ports)));
          failures.push(
            ...ends.filter((end) => end.status === "rejected").map((end) => end.reason),
          );
        }
      }
    }
    if (failures.length > 0) throw failures[0];
  },
});

async function end({ accountSid, sid: callSid }: Call, ports: Ports): Promise<void> {
  try {
    await modifyCall({ accountSid, callSid }, { status: "completed" }, ports);
  } catch (error) {
    const hasEnded = error instanceof Fault && error.fault === "callEnded";
    if (!hasEnded) throw error;
  }
}
