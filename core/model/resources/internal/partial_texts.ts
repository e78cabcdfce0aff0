import { z } from "zod";
import { type RecordOf, resource } from "../../resource.ts";

/** Parts of a text, until all have arrived or the wait is over. Internal: no interface shows it. */
export const partialTexts = resource({
  type: "PartialText",
  description: "Parts of a text message until it is whole.",
  path: "PartialTexts",
  sidPrefix: "PT",
  irregular: true,
  internal: true,
  fields: {
    numberSid: z.string(),
    from: z.string(),
    to: z.string(),
    /** How many parts there are. */
    total: z.number().int(),
    /** Those that came, by their place from 1. */
    parts: z.record(z.string(), z.string()),
    /** It was received as a whole; the parts are kept so that no repeated one begins it anew. */
    isJoined: z.boolean(),
    /** Until when it waits, or its parts are known, in ms. */
    until: z.number(),
    /** Counts its changes. */
    revision: z.number().int(),
  },
});

export type PartialText = RecordOf<typeof partialTexts>;
