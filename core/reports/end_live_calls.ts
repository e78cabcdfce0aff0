import { batches, subtree } from "../accounts/walk.ts";
import { Fault } from "../base/faults.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Call } from "../model/resources/calls.ts";
import { callStatus, isLive } from "../model/values/status.ts";
import { modifyCall } from "./modify_call.ts";

/** Calls to end, and the rest of the work for each one that was ended. */
interface Ending {
  isWanted?(call: Call): boolean;
  onEnded?(call: Call): Promise<void>;
  signal: AbortSignal;
}

/**
 * Ends the live calls of an account and of those below it. A call that cannot be ended keeps no other from
 * its end: the first failure is thrown afterwards. Throws the reason of the signal when that aborts.
 */
export async function endLiveCalls(
  accountSid: string,
  { isWanted = () => true, onEnded = () => Promise.resolve(), signal }: Ending,
  ports: Ports,
): Promise<void> {
  const failures: unknown[] = [];
  for await (const sid of subtree(accountSid, ports.accounts)) {
    for (const status of callStatus.options.filter(isLive)) {
      const where = [{ field: "status", op: "equals" as const, value: status }];
      for await (const calls of batches(ports.records.calls, sid, where)) {
        signal.throwIfAborted();
        const ends = await Promise.allSettled(
          calls.filter(isWanted).map(async (call) => {
            if (await end(call, ports)) await onEnded(call);
          }),
        );
        failures.push(...ends.flatMap((end) => end.status === "rejected" ? [end.reason] : []));
      }
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** Returns false where the call has ended by itself. */
async function end({ accountSid, sid: callSid }: Call, ports: Ports): Promise<boolean> {
  try {
    await modifyCall({ accountSid, callSid }, { status: "completed" }, ports);
    return true;
  } catch (error) {
    if (error instanceof Fault && error.fault === "callEnded") return false;
    throw error;
  }
}
