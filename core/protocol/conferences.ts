import { z } from "zod";
import { action } from "./action.ts";
import { gatheredEvent } from "./gather.ts";
import { remoteCompanion } from "./peers.ts";
import { recorded, recordingOrder } from "./recordings.ts";

/**
 * The part of the call-control protocol (`companion.ts`) that is about conferences and queues. The service knows them by name and
 * account, and says which conference a leg goes to; a companion mixes the audio of each Conference. A leg
 * of another companion comes there by a call between the two, and is reported on by its own.
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
 * Puts the leg into a conference, which answers it first, until it ends, is removed or presses the star,
 * the conference ends, or `timeLimitS` passed. While it is alone there, or nobody came that `startOnEnter`,
 * it waits: everybody does. Where the other companion is out of reach, the service is asked again, as by
 * a `consult` with its `serviceContext` and `unreached`, the Conference; `isGone` where that one has been started
 * anew. A `consult` with its `serviceContext` also takes who is to have the leg's place into the conference.
 */
export const conferenceStep = z.object({
  type: z.literal("conference"),
  conferenceSid,
  /** The companion that has the conference, where the leg's own has not. */
  at: remoteCompanion.optional(),
  serviceContext: serviceContext.optional(),
  /** Legs that the conference has at most. */
  most: z.number().int().positive(),
  muted: z.boolean(),
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
   * Records what is said in the conference while this leg is there; where several want that, the one that
   * came first, and after it the next one.
   */
  record: recordingOrder.optional(),
  action: action.optional(),
});

/** Answered with the steps in place of the `consult`. */
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
 * It is no longer there; `busy` when the conference was full, so that it never was.
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
 * Has the leg wait in a queue, which answers it first, until another takes it, a `leave` in its wait
 * document is met, or it ends. When it was taken, it goes on after the two have talked.
 */
export const queueStep = z.object({
  type: z.literal("queue"),
  queueSid,
  wait: action.nullable().optional(),
  action: action.optional(),
});

/**
 * Takes a leg out of its queue and talks to it, which answers this one first. Where that leg waits no
 * longer, the service is asked again, as by a `consult` with its `serviceContext` and `gone`, its id; where its
 * companion is out of reach, with `unreached`.
 */
export const pickupStep = z.object({
  type: z.literal("pickup"),
  leg,
  /** The companion at which it waits, where that is another. */
  at: remoteCompanion.optional(),
  serviceContext,
  timeLimitS: z.number().positive(),
  hangupOnStar: z.boolean().optional(),
  /** Records both sides, one channel each. */
  record: recordingOrder.optional(),
  action: action.optional(),
});

/** Leaves the queue whose wait document it is in; nothing elsewhere. */
export const leaveStep = z.object({ type: z.literal("leave") });

/** A leg waits in a queue. */
export const queuedEvent = z.object({ type: z.literal("queued"), queueSid });

/** It waits no longer; told once more, for its action, when those who talked have done so. */
export const dequeuedEvent = z.object({
  type: z.literal("dequeued"),
  queueSid,
  result: z.enum(["bridged", "leave", "redirected", "hangup", "error"]),
  waitedS: z.number().int().nonnegative(),
  action: action.optional(),
});

/**
 * Answered with a wait document: steps that are heard, `gather` among them, and perhaps as the last one a
 * `next` (another document), a `leave` or a `hangup`. What a `gather` brought asks for its action so.
 */
export const waitingEvent = z.object({
  type: z.literal("waiting"),
  action,
  queueSid: queueSid.optional(),
  gathered: gatheredEvent.pick({ digits: true, speech: true }).optional(),
});

/** What the service has done in a conference. */
export const conferenceOrder = z.object({
  conferenceSid,
  order: z.discriminatedUnion("type", [
    z.object({
      type: z.literal("change"),
      leg,
      muted: z.boolean().optional(),
      held: z.boolean().optional(),
    }),
    z.object({ type: z.literal("remove"), leg }),
    z.object({ type: z.literal("end") }),
  ]),
});

/** Whether the conference, and the leg in it, are there. */
export const conferenceAnswer = z.object({ isKnown: z.boolean() });

export type ConferenceStep = z.infer<typeof conferenceStep>;
export type QueueStep = z.infer<typeof queueStep>;
export type PickupStep = z.infer<typeof pickupStep>;
export type ConferenceOrder = z.infer<typeof conferenceOrder>;
