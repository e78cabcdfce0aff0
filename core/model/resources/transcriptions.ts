import { z } from "zod";
import { textNumber } from "../../base/fields.ts";
import { limitedBy } from "./internal/limited_by.ts";
import { type RecordOf, resource } from "../resource.ts";

/** The text of a recording. */
export const transcriptions = resource({
  type: "Transcription",
  description: "The text of a recording, made by speech recognition.",
  path: "Transcriptions",
  sidPrefix: "TR",
  fields: {
    status: z.enum(["in-progress", "completed", "failed"]).describe(
      "Status of the transcription: in-progress, then completed or failed.",
    ),
    recordingSid: z.string().describe("Sid of the Recording."),
    duration: textNumber.nullable().describe(
      "Seconds of the recording as a text, null when unknown.",
    ),
    transcriptionText: z.string().nullable().describe(
      "Text of the recording, null until it is completed.",
    ),
    price: z.string().nullable().describe(
      "Price of the transcription as a decimal text, null before.",
    ),
    /** Amount that limits of money reserve for it until it ends, in millionths; null: none. */
    reservedMicros: z.number().int().nonnegative().nullable().optional(),
    limitedBy: limitedBy.optional(),
  },
  hidden: ["reservedMicros", "limitedBy"],
  uses: ({ status, reservedMicros }) => ({
    isCall: false,
    isText: false,
    reservedMicros: status === "in-progress" ? reservedMicros ?? 0 : 0,
  }),
  filters: { transcriptionText: "contains", recordingSid: "equals" },
  period: { start: "dateCreated", end: "dateCreated" },
  paged: true,
  removable: true,
});

export type Transcription = RecordOf<typeof transcriptions>;
