import type { z } from "zod";
import type { traceReport } from "../protocol/traces.ts";
import { isRemoved } from "../model/resources/internal/removed_records.ts";
import type { Ports } from "../model/ports/ports.ts";

/**
 * Keeps the SIP trace of a call that failed, unless the operator wants none; none of a call that was
 * removed meanwhile.
 */
export async function takeTrace(
  { accountSid, leg: sid, trace }: z.infer<typeof traceReport>,
  { settings: { sipTraceMs }, sipTraces, records }: Ports,
): Promise<void> {
  if (sipTraceMs === 0) return;
  const call = { accountSid, sid };
  await sipTraces.put(call, trace, sipTraceMs);
  const isGone = await records.calls.get(accountSid, sid) === null &&
    await isRemoved(call, records);
  if (isGone) await sipTraces.remove(call);
}
