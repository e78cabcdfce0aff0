import { z } from "zod";

export const callStatus = z.enum([
  "queued",
  "ringing",
  "in-progress",
  "completed",
  "failed",
  "busy",
  "no-answer",
  "canceled",
]);

export type CallStatus = z.infer<typeof callStatus>;

/** The callbacks of a call's life. `completed` fires for every ending. */
export const callbackEvent = z.enum(["initiated", "ringing", "answered", "completed"]);

export type CallbackEvent = z.infer<typeof callbackEvent>;

/** Whether a call in this status has not ended. */
export const isLive = (status: CallStatus): boolean =>
  status === "queued" || status === "ringing" || status === "in-progress";

/** When a queued call is to be placed, in ms: at once, unless it validates a number later. */
export const dialDueAt = (
  { dateCreated, validation }: {
    dateCreated: number;
    validation: { delayS?: number | undefined } | null;
  },
): number => dateCreated + (validation?.delayS ?? 0) * 1_000;
