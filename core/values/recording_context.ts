import { z } from "zod";
import { method } from "../base/fields.ts";

const callback = z.object({ url: z.string(), method });

/** What the service wants to know again when a recording comes to be. */
export const recordingContext = z.object({
  statusCallback: callback.optional(),
  transcribe: z.boolean().optional(),
  transcribeCallback: callback.optional(),
});

export type RecordingContext = z.infer<typeof recordingContext>;
