import { z } from "zod";
import { exponential, job, type JobKind } from "../job.ts";

const args = z.object({ logins: z.array(z.string()) });

/** Tells the companion that Clients changed, so that it looks their credentials up again. */
export const forgetClients: JobKind<z.infer<typeof args>> = job({
  kind: "clients.forget",
  args,
  lane: () => "bridge",
  maxAttempts: 8,
  retryMs: exponential(500, 30_000),
  work: async ({ logins }, { bridge }) => await bridge.invalidate(logins),
});
