import { z } from "zod";
import { exponential, job, type JobKind } from "../job.ts";

const args = z.object({
  event: z.enum(["provisioned", "transferred", "released"]),
  phoneNumber: z.string(),
  accountSid: z.string(),
  sid: z.string(),
});

/** Tells the provider of a number what came of it; committed with the change itself. */
export const tellProvider: JobKind<z.infer<typeof args>> = job({
  kind: "numbers.tell",
  args,
  lane: () => "numbers",
  maxAttempts: 12,
  retryMs: exponential(1_000, 600_000),
  work: async (event, { numbers }) => await numbers.tell(event),
});
