import { z } from "zod";
import { exponential, job, type JobKind } from "../job.ts";
import type { AnyCollection } from "../ports.ts";

const args = z.object({ accountSid: z.string(), resource: z.string() });

/** Prepares the texts of older records for searches; caused by every thousandth record or so. */
export const packTexts: JobKind<z.infer<typeof args>> = job({
  kind: "texts.pack",
  args,
  lane: ({ accountSid, resource }) => `pack/${resource}/${accountSid}`,
  maxAttempts: 5,
  retryMs: exponential(60_000, 600_000),
  work: async ({ accountSid, resource }, { records }, { signal }) =>
    await (records as Record<string, AnyCollection>)[resource]!.packTexts(accountSid, signal),
});
