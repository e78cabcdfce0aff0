import { z } from "zod";
import { noun } from "./noun.ts";
import {
  boolean,
  hint,
  hintsAttribute,
  languageAttribute,
  methodAttribute,
  urlAttribute,
} from "./verb.ts";

const name = z.string().trim().min(1).max(128).optional();

const tracks = {
  inbound_track: ["inbound"],
  outbound_track: ["outbound"],
  both_tracks: ["inbound", "outbound"],
} as const;

/** Transcribes both sides, from here to the end of the call or a Stop. */
export const startTranscription = noun({
  name: "Transcription",
  attributes: {
    name,
    track: z.enum(["inbound_track", "outbound_track", "both_tracks"]).optional()
      .transform((track) => track ?? "both_tracks"),
    languageCode: languageAttribute,
    hints: hintsAttribute,
    partialResults: boolean(false),
    statusCallbackUrl: z.string().optional(),
    statusCallbackMethod: methodAttribute,
    enableAutomaticPunctuation: hint,
    inboundTrackLabel: hint,
    outboundTrackLabel: hint,
    profanityFilter: hint,
    speechModel: hint,
    transcriptionEngine: hint,
  },
  compile(element, attributes, context) {
    const { name, track, languageCode, hints, partialResults, statusCallbackMethod } = attributes;
    const url = urlAttribute(element, "statusCallbackUrl", context);
    if (url === undefined) {
      context.skip("Transcription in Start: it needs a statusCallbackUrl");
      return [];
    }
    return [{
      type: "transcribeLeg",
      sid: context.newSid("GT"),
      ...name !== undefined && { name },
      tracks: [...tracks[track]],
      language: languageCode,
      hints,
      hasPartials: partialResults,
      callback: { url, method: statusCallbackMethod },
    }];
  },
});

/** Ends a transcription of this name. */
export const stopTranscription = noun({
  name: "Transcription",
  attributes: { name },
  compile(_, { name }, context) {
    if (name !== undefined) return [{ type: "stopTranscription", name }];
    context.skip("Transcription in Stop: it needs a name");
    return [];
  },
});
