import { z } from "zod";
import { exponential, job, type JobKind } from "../job.ts";
import { isOvertaken, receivedOf, unlessChanged } from "../messages/join_parts.ts";

const args = z.object({ accountSid: z.string(), textSid: z.string() });

/** Receives what came of a text whose other parts did not come in time, and forgets its parts. */
export const joinParts: JobKind<z.infer<typeof args>> = job({
  kind: "message.join_parts",
  args,
  lane: () => "parts",
  maxAttempts: 12,
  retryMs: exponential(1_000, 600_000),

  async work({ accountSid, textSid }, ports) {
    const { partialTexts, incomingPhoneNumbers } = ports.records;
    const text = await partialTexts.get(accountSid, textSid);
    if (text === null || text.until > ports.now()) return; // Another job waits for it.
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
