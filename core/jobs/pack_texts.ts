import { exponential } from "../model/job.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import { type ArgsOf, packTexts } from "../model/job_kinds.ts";
import type { AnyCollection } from "../model/store.ts";

/** Performs `packTexts`. */
export const packTextsHandler: JobHandler<ArgsOf<typeof packTexts>> = handler(packTexts, {
  maxAttempts: 5,
  retryMs: exponential(60_000, 600_000),
  work: async ({ accountSid, resource }, { records }, { signal }) =>
    // Jobs are made for the resources that have texts, by their names.
    await (records as Record<string, AnyCollection>)[resource]!.packTexts(accountSid, signal),
});
