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

/** Events by space, by comma, or as a repeated parameter. */
export const callbackEvents = z.preprocess(
  (sent) => [sent].flat().flatMap((text) => String(text).split(/[\s,]+/)).filter(Boolean),
  z.array(callbackEvent),
);

export type CallbackEvent = z.infer<typeof callbackEvent>;

/** True until a call ends. */
export const isLive = (status: CallStatus): boolean =>
  status === "queued" || status === "ringing" || status === "in-progress";

/** Validation of a number by a call: its code, time and result. */
export const validation = z.object({
  code: z.string(),
  phoneNumber: z.string(),
  friendlyName: z.string().nullable(),
  tries: z.number().int(),
  /** Seconds from the request to the call. */
  delayS: z.number().int().optional(),
  /** The OutgoingCallerId, once the code was right. */
  callerIdSid: z.string().nullable(),
});

/** Time that a call waits before it is dialled, in ms: a validation by call may set a delay. */
export const dialDelayMs = (
  { validation: wanted }: { validation: z.infer<typeof validation> | null },
): number => (wanted?.delayS ?? 0) * 1_000;
