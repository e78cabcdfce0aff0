import { z } from "zod";
import { action } from "./bridge_action.ts";

/**
 * The part of the bridge (`bridge.ts`) that is about conferences. The service knows them by name and
 * account, and says which room a leg goes to; the companion has the rooms, one for each Conference.
 */

const conferenceSid = z.string().regex(/^CF[0-9a-f]{32}$/);
const leg = z.string().regex(/^CA[0-9a-f]{32}$/);

/** The service's own notes, which the companion hands back untouched. */
const memo = z.record(z.string(), z.unknown());

/** Asks the service for the steps to perform in its place, before those that are left. */
export const consultStep = z.object({
  type: z.literal("consult"),
  memo,
  action: action.optional(),
});

/**
 * Puts the leg into a room, which answers it first, until it ends, is removed or presses the star,
 * the room ends, or `timeLimitS` passed. While it is alone there, or nobody came that `startOnEnter`,
 * it waits: everybody does.
 */
export const roomStep = z.object({
  type: z.literal("room"),
  conferenceSid,
  /** Legs that the room has at most. */
  most: z.number().int().positive(),
  muted: z.boolean(),
  beepOnEnter: z.boolean(),
  beepOnExit: z.boolean(),
  startOnEnter: z.boolean(),
  /** The room ends when this leg leaves it. */
  endOnExit: z.boolean(),
  /** The document whose sounds are heard while it waits; null is silence, absent music of ours. */
  wait: action.nullable().optional(),
  timeLimitS: z.number().positive(),
  hangupOnStar: z.boolean().optional(),
  action: action.optional(),
});

/** Answered with the steps in place of the `consult`. */
export const consultingEvent = z.object({
  type: z.literal("consulting"),
  memo,
  action: action.optional(),
});

/** A leg is in a room. */
export const joinedEvent = z.object({
  type: z.literal("joined"),
  conferenceSid,
  muted: z.boolean(),
  startOnEnter: z.boolean(),
  endOnExit: z.boolean(),
});

/** It is no longer there; `busy` when the room was full, so that it never was. */
export const leftEvent = z.object({
  type: z.literal("left"),
  conferenceSid,
  outcome: z.enum(["completed", "busy", "failed"]),
  durationS: z.number().int().nonnegative(),
  action: action.optional(),
});

/** Answered with the sounds of a wait document: `play` and `silence` steps. */
export const waitingEvent = z.object({ type: z.literal("waiting"), action });

/** What the service has done in a room. */
export const roomOrder = z.object({
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

/** Whether the room, and the leg in it, are there. */
export const roomAnswer = z.object({ isKnown: z.boolean() });

export type RoomStep = z.infer<typeof roomStep>;
export type RoomOrder = z.infer<typeof roomOrder>;

/** On the companion. */
export const roomPaths = { order: "/room" } as const;
