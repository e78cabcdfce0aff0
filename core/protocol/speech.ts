import { z } from "zod";

/** The part of the call-control protocol (`companion.ts`) about text-to-speech. */

/**
 * A part of a text with SSML: words, or a pause. `ssml` is the same text with its elements, for
 * engines that know SSML; `language` is the part's own.
 */
export const speechPart = z.object({
  text: z.string().min(1).optional(),
  ssml: z.string().optional(),
  language: z.string().optional(),
  silenceMs: z.number().positive().optional(),
});

/**
 * Says a text `loop` times; 0 is until the leg ends. `voice` is `woman`, `man` or a name that the
 * speech provider knows, `language` a tag such as `en-US`.
 */
export const sayStep = z.object({
  type: z.literal("say"),
  text: z.string().min(1),
  voice: z.string(),
  language: z.string(),
  /** The voice that the document names, where `voice` stands for it: for a provider that has it. */
  namedVoice: z.string().optional(),
  loop: z.number().int().nonnegative(),
  /** In place of the text, where that has SSML. */
  parts: z.array(speechPart).optional(),
});

export type SayStep = z.infer<typeof sayStep>;
export type SpeechPart = z.infer<typeof speechPart>;
