import { exponential } from "../job.ts";
import { handler, type JobHandler } from "../job_handler.ts";
import { type ArgsOf, packTexts } from "../job_kinds.ts";
import type { AnyCollection } from "../store.ts";

/** Performs `packTexts`. */
export const packTextsHandler: JobHandler<ArgsOf<typeof packTexts>> = handler(packTexts, {
  maxAttempts: 5,
  retryMs: exponential(60_000, 600_000),
  work: async ({ accountSid, resource }, { records }, { signal }) =>
    await (records as Record<string, AnyCollection>)[resource]!.packTexts(accountSid, signal),
});
