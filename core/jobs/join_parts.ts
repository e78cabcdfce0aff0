import { exponential } from "../model/job.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import { type ArgsOf, joinParts } from "../model/job_kinds.ts";
import { isOvertaken, receivedOf, unlessChanged } from "../messages/join_parts.ts";

/** Performs `joinParts`: makes one Message of the parts of a long text from a carrier. */
export const joinPartsHandler: JobHandler<ArgsOf<typeof joinParts>> = handler(joinParts, {
  maxAttempts: 12,
  retryMs: exponential(1_000, 600_000),

  async work({ accountSid, textSid }, ports) {
    const { partialTexts, incomingPhoneNumbers } = ports.records;
    const text = await partialTexts.get(accountSid, textSid);
    if (text === null || text.until > ports.steadyNow()) return; // Another job waits for it.
    const number = await incomingPhoneNumbers.get(accountSid, text.numberSid);
    const received = await receivedOf(text, number, ports);
    try {
      const change = unlessChanged(text, { record: text, ...received });
      await partialTexts.remove(accountSid, textSid, change);
    } catch (error) {
      if (!isOvertaken(error) || await partialTexts.get(accountSid, textSid) !== null) throw error;
      // Otherwise another run of this job was faster.
    }
  },
});
