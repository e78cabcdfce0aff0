import { z } from "zod";
import { action } from "./action.ts";
import { gatheredEvent } from "./gather.ts";
import { remoteCompanion } from "./peers.ts";
import { recorded, recordingManner, recordingOrder } from "./recordings.ts";

/**
 * The part of the call-control protocol (`companion.ts`) about conferences and queues. The service
 * finds a conference by account and name and assigns legs to it. One companion mixes the audio of each
 * Conference. A leg of another companion joins by a call between the two companions; its own companion
 * reports its events.
 */

const conferenceSid = z.string().regex(/^CF[0-9a-f]{32}$/);
const leg = z.string().regex(/^CA[0-9a-f]{32}$/);

/** The service's own notes, which the companion hands back untouched. */
const serviceContext = z.record(z.string(), z.unknown());

/** Asks the service for the steps to perform in its place, before those that are left. */
export const consultStep = z.object({
  type: z.literal("consult"),
  serviceContext,
  action: action.optional(),
});

/**
 * Answers the leg and puts it into a conference. The step ends when the leg ends, is removed or
 * presses the star key, when the conference ends, or after `timeLimitS`. The participants wait
 * while there is only one, and until one with `startOnEnter` has joined. Where the other companion
 * cannot be reached, the companion requests steps again, as for a `consult` with this
 * `serviceContext` and `unreached` (the Conference); `isGone` is set where that companion has
 * restarted. A `consult` with this `serviceContext` also takes the leg that replaces this one into
 * the conference.
 */
export const conferenceStep = z.object({
  type: z.literal("conference"),
  conferenceSid,
  /** The companion that mixes the conference, where it is not the leg's own. */
  at: remoteCompanion.optional(),
  serviceContext: serviceContext.optional(),
  /** Maximum number of legs in the conference. */
  most: z.number().int().positive(),
  muted: z.boolean(),
  /** The only participant that hears this leg. Without that participant, none hears it. */
  coach: leg.optional(),
  beepOnEnter: z.boolean(),
  beepOnExit: z.boolean(),
  startOnEnter: z.boolean(),
  /** The conference ends when this leg leaves it. */
  endOnExit: z.boolean(),
  /** The document whose sounds are heard while it waits; null is silence, absent music of ours. */
  wait: action.nullable().optional(),
  timeLimitS: z.number().positive(),
  hangupOnStar: z.boolean().optional(),
  /**
   * Records the conference while this leg is in it. Where several legs have an order, the leg that
   * joined first records; when it leaves, the next one does.
   */
  record: recordingOrder.optional(),
  /** Leaves out silence at both ends of the recording. */
  isTrimmed: z.boolean().optional(),
  action: action.optional(),
});

/** Answered with the steps that replace the `consult`. */
export const consultingEvent = z.object({
  type: z.literal("consulting"),
  serviceContext,
  action: action.optional(),
});

/** A leg is in a conference. */
export const joinedEvent = z.object({
  type: z.literal("joined"),
  conferenceSid,
  muted: z.boolean(),
  startOnEnter: z.boolean(),
  endOnExit: z.boolean(),
});

/**
 * A leg has left a conference; `busy`: it never joined, since the conference was full.
 */
export const leftEvent = z.object({
  type: z.literal("left"),
  conferenceSid,
  outcome: z.enum(["completed", "busy", "failed"]),
  durationS: z.number().int().nonnegative(),
  recording: recorded.optional(),
  action: action.optional(),
});

const queueSid = z.string().regex(/^QU[0-9a-f]{32}$/);

/**
 * Answers the leg and puts it into a queue, until another leg takes it, its wait document reaches a
 * `leave`, or the leg ends. A leg that was taken continues its script when the conversation is over.
 */
export const queueStep = z.object({
  type: z.literal("queue"),
  queueSid,
  wait: action.nullable().optional(),
  action: action.optional(),
});

/**
 * Answers this leg, takes another leg out of its queue and connects the two. Where that leg does not
 * wait any more, the companion requests steps again, as for a `consult` with this `serviceContext` and
 * `gone` (the leg's id); where the leg's companion cannot be reached, with `unreached`.
 */
export const pickupStep = z.object({
  type: z.literal("pickup"),
  leg,
  /** The companion at which it waits, where that is another. */
  at: remoteCompanion.optional(),
  serviceContext,
  timeLimitS: z.number().positive(),
  hangupOnStar: z.boolean().optional(),
  /** The document that the waiting leg hears before the two are connected. */
  whisper: action.optional(),
  /** Records both sides, one channel each. */
  record: recordingOrder.optional(),
  recordingManner: recordingManner.optional(),
  action: action.optional(),
});

/** Leaves the queue whose wait document it is in; nothing elsewhere. */
export const leaveStep = z.object({ type: z.literal("leave") });

/** A leg waits in a queue. */
export const queuedEvent = z.object({ type: z.literal("queued"), queueSid });

/** A leg has left its queue. Sent again for its action when the conversation is over. */
export const dequeuedEvent = z.object({
  type: z.literal("dequeued"),
  queueSid,
  result: z.enum(["bridged", "leave", "redirected", "hangup", "error"]),
  waitedS: z.number().int().nonnegative(),
  action: action.optional(),
});

/**
 * Answered with a wait document: audible steps, `gather` included, and optionally a last step
 * `next` (another document), `leave` or `hangup`. The result of a `gather` requests its action with
 * this event.
 */
export const waitingEvent = z.object({
  type: z.literal("waiting"),
  action,
  queueSid: queueSid.optional(),
  gathered: gatheredEvent.pick({ digits: true, speech: true }).optional(),
});

export type ConferenceStep = z.infer<typeof conferenceStep>;
export type QueueStep = z.infer<typeof queueStep>;
export type PickupStep = z.infer<typeof pickupStep>;
