import { z } from "zod";
import { exponential, job, type JobKind } from "../job.ts";

const args = z.object({});

/** Tells the companion that Gateways changed, so that it asks at once which to keep registered. */
export const tellGateways: JobKind<z.infer<typeof args>> = job({
  kind: "gateways.tell",
  args,
  lane: () => "bridge",
  maxAttempts: 4, // Companions ask by themselves too, if later.
  retryMs: exponential(500, 5_000),
  work: async (_, { bridge }) => await bridge.gatewaysChanged(),
});
