import { z } from "zod";
import { action } from "../../protocol/action.ts";
import { recordingManner, recordingOrder } from "../../protocol/recordings.ts";

/** Attributes of an Enqueue; the companion returns them when the step begins. */
export const enqueueOptions = z.object({
  kind: z.literal("enqueue"),
  name: z.string(),
  /** Calls that the queue takes; the limit of queues unless given. */
  most: z.number().optional(),
  wait: action.nullable().optional(),
});

export type EnqueueOptions = z.infer<typeof enqueueOptions>;

/** The settings of a Queue noun; the companion returns them at its turn, and once a second. */
export const dequeueOptions = z.object({
  kind: z.literal("dequeue"),
  name: z.string(),
  /** Longest wait for a call in the queue. */
  timeoutS: z.number(),
  timeLimitS: z.number(),
  hangupOnStar: z.boolean(),
  /** The document that the waiting call hears before the two are connected. */
  whisper: action.optional(),
  record: recordingOrder.optional(),
  recordingManner: recordingManner.optional(),
  /** Until when, in ms; from the second time on. */
  until: z.number().optional(),
  /** The call assigned before, which does not wait any more. */
  gone: z.string().optional(),
  /** The call assigned before, which waits at a companion that cannot be reached. */
  unreached: z.string().optional(),
  /** All of those. */
  passed: z.array(z.string()).optional(),
});

export type DequeueOptions = z.infer<typeof dequeueOptions>;
