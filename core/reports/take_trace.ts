import type { z } from "zod";
import type { traceReport } from "../protocol/traces.ts";
import type { Ports } from "../ports/ports.ts";

/** Keeps the SIP trace of a call that failed, unless the operator wants none. */
export async function takeTrace(
  { accountSid, leg: sid, trace }: z.infer<typeof traceReport>,
  { settings: { sipTraceMs }, sipTraces }: Ports,
): Promise<void> {
  if (sipTraceMs > 0) await sipTraces.put({ accountSid, sid }, trace, sipTraceMs);
}
