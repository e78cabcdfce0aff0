import { z } from "zod";
import { action } from "../protocol/action.ts";
import { recordingOrder } from "../protocol/recordings.ts";

/** What an Enqueue asks for; the companion hands it back when its turn comes. */
export const enqueueWanted = z.object({
  kind: z.literal("enqueue"),
  name: z.string(),
  wait: action.nullable().optional(),
});

export type EnqueueWanted = z.infer<typeof enqueueWanted>;

/** What a Queue noun asks for; the companion hands it back when its turn comes, and once a second. */
export const dequeueWanted = z.object({
  kind: z.literal("dequeue"),
  name: z.string(),
  /** For how long somebody is waited for. */
  timeoutS: z.number(),
  timeLimitS: z.number(),
  hangupOnStar: z.boolean(),
  record: recordingOrder.optional(),
  /** Until when, in ms; from the second time on. */
  until: z.number().optional(),
  /** Who was given before and does not wait any more. */
  gone: z.string().optional(),
  /** Who was given before and waits at a companion out of reach. */
  unreached: z.string().optional(),
  /** All of those. */
  passed: z.array(z.string()).optional(),
});

export type DequeueWanted = z.infer<typeof dequeueWanted>;
