import { callTime } from "./call_time.ts";
import { exponential } from "../model/job.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import { type ArgsOf, limitCall } from "../model/job_kinds.ts";

/**
 * Performs `limitCall`. A call whose limit was raised meanwhile has a later job, and this one does
 * nothing.
 */
export const limitCallHandler: JobHandler<ArgsOf<typeof limitCall>> = handler(limitCall, {
  maxAttempts: 8,
  retryMs: exponential(250, 5_000),
  async work({ accountSid, callSid }, ports) {
    const { records, control } = ports;
    const call = await records.calls.get(accountSid, callSid);
    if (call?.status !== "in-progress" || !call.timeLimit) return;
    if ((call.answeredAt ?? 0) + call.timeLimit * 1_000 > callTime(call, ports)) return;
    await control.run(callSid, [{ type: "hangup", cause: "time-limit" }], { at: call.companion });
  },
});
