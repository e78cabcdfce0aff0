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
    /** Number of parts. */
    total: z.number().int(),
    /** Those that came, by their place from 1. */
    parts: z.record(z.string(), z.string()),
    /**
     * True once it was received as a whole. Its parts are still stored, so that a repeated one
     * begins no new text.
     */
    isJoined: z.boolean(),
    /** Time up to which it waits for parts, or its parts are stored, in ms. */
    until: z.number(),
    /** Counts its changes. */
    revision: z.number().int(),
  },
});

export type PartialText = RecordOf<typeof partialTexts>;
