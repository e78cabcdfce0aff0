import { z } from "zod";
import { batches, subtree } from "../accounts/walk.ts";
import { modifyCall } from "../calls/modify_call.ts";
import { callStatus, isLive } from "../calls/status.ts";
import { Fault } from "../faults.ts";
import { exponential, job, type JobKind } from "../job.ts";
import type { Ports } from "../ports.ts";
import type { Call } from "../resources/calls.ts";

const args = z.object({ accountSid: z.string() });

/**
 * Ends every live call of an account and its descendants: it was suspended or closed. One that cannot
 * be ended keeps none of the others; it is tried again with the next attempt.
 */
export const endCalls: JobKind<z.infer<typeof args>> = job({
  kind: "account.end_calls",
  args,
  lane: () => "accounts",
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
