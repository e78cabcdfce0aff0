import { z } from "zod";

/** The part of the call-control protocol (`companion.ts`) that is about speech that is made of text. */

/**
 * Says a text `loop` times; 0 is until the leg ends. `voice` is `woman`, `man` or a name that the
 * speech provider knows, `language` a tag such as `en-US`.
 */
export const sayStep = z.object({
  type: z.literal("say"),
  text: z.string().min(1),
  voice: z.string(),
  language: z.string(),
  loop: z.number().int().nonnegative(),
});

export type SayStep = z.infer<typeof sayStep>;
