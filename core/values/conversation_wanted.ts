import { z } from "zod";
import { conversationSettings } from "../protocol/streams.ts";

/** What a ConversationRelay noun asks for; the companion hands it back when its turn comes. */
export const conversationWanted = z.object({
  kind: z.literal("conversation"),
  url: z.string(),
  parameters: z.record(z.string(), z.string()),
  settings: conversationSettings,
});

export type ConversationWanted = z.infer<typeof conversationWanted>;
