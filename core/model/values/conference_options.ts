import { z } from "zod";
import { action } from "../../protocol/action.ts";
import { recordingOrder } from "../../protocol/recordings.ts";
import { method } from "../../base/fields.ts";

/** Events of a Conference that a status callback may be set for. */
export const conferenceEvents = ["start", "end", "join", "leave", "mute", "hold"] as const;

/** Added to the `serviceContext` when the companion of the conference could not be reached. */
export const missed = {
  /** The Conference that was not reached. */
  unreached: z.string().optional(),
  /** True when that companion reported a restart. */
  isGone: z.boolean().optional(),
  /** Until when to wait for it, in ms, where it is unknown whether it lives. */
  until: z.number().optional(),
};

export type Missed = z.infer<z.ZodObject<typeof missed>>;

/** Attributes of a Conference noun; the companion returns them when the step begins. */
export const conferenceOptions = z.object({
  kind: z.literal("conference"),
  name: z.string(),
  most: z.number(),
  muted: z.boolean(),
  beepOnEnter: z.boolean(),
  beepOnExit: z.boolean(),
  startOnEnter: z.boolean(),
  endOnExit: z.boolean(),
  wait: action.nullable().optional(),
  timeLimitS: z.number(),
  hangupOnStar: z.boolean(),
  record: recordingOrder.optional(),
  isTrimmed: z.boolean().optional(),
  /** The call that alone hears this one. */
  coach: z.string().optional(),
  /** Label of the participant in status callbacks. */
  label: z.string().optional(),
  callback: z.object({ url: z.string(), method, events: z.array(z.enum(conferenceEvents)) })
    .optional(),
  /** The Conference to which a transfer takes the call; another one of this name is not meant. */
  only: z.string().optional(),
  ...missed,
});

export type ConferenceOptions = z.infer<typeof conferenceOptions>;
