import { z } from "zod";
import { companion } from "../bridge.ts";
import { exponential, job, type JobKind } from "../job.ts";

const args = z.object({
  callSid: z.string(),
  /** Which companion has the leg, where that is known. */
  companion: companion.nullable().optional(),
});

/** Has the companion end a leg: BYE, CANCEL or a refusal, as its state asks. */
export const hangUp: JobKind<z.infer<typeof args>> = job({
  kind: "call.hang_up",
  args,
  lane: () => "calls",
  maxAttempts: 8,
  retryMs: exponential(250, 5_000),
  work: async ({ callSid, companion }, { bridge }) =>
    void await bridge.run(callSid, [{ type: "hangup" }], { at: companion ?? null }),
});
