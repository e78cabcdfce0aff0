import { z } from "zod";
import { textNumber } from "../base/fields.ts";
import { type RecordOf, resource } from "../model/resource.ts";

/** The text of a recording. */
export const transcriptions = resource({
  type: "Transcription",
  path: "Transcriptions",
  sidPrefix: "TR",
  fields: {
    status: z.enum(["in-progress", "completed", "failed"]),
    recordingSid: z.string(),
    /** Seconds of the recording. */
    duration: textNumber.nullable(),
    transcriptionText: z.string().nullable(),
    price: z.string().nullable(),
  },
  filters: { transcriptionText: "contains", recordingSid: "equals" },
  period: { start: "dateCreated", end: "dateCreated" },
  paged: true,
  removable: true,
});

export type Transcription = RecordOf<typeof transcriptions>;
