import { z } from "zod";
import { action } from "./action.ts";
import { disconnection } from "./disconnection.ts";
import { callback, gatheredEvent, partialEvent } from "./gather.ts";
import { transcribedEvent } from "./leg_tasks.ts";
import { notedEvent } from "./note.ts";
import { recorded, recordedEvent } from "./recordings.ts";
import { referredEvent } from "./refer.ts";
import {
  consultingEvent,
  dequeuedEvent,
  joinedEvent,
  leftEvent,
  queuedEvent,
  waitingEvent,
} from "./conferences.ts";
import { conversedEvent, streamedEvent, streamEvent } from "./streams.ts";
import { collectedEvent } from "./ussd.ts";
import { legId } from "./script.ts";
import { incomingNumber, numberParameters } from "./trunks.ts";

/** The events of a leg in the call-control protocol (`companion.ts`). */

/** Outcome of a leg; its last event. */
export const outcome = z.enum(["completed", "busy", "no-answer", "failed", "canceled"]);

/** Bounds of an event. */
export const eventLimits = { endDetailLength: 300 } as const;

/** Why a leg ended, where its status does not say it and its owner can correct the cause. */
const endReason = z.enum(["not-registered", "media-lost", "no-trunk", "no-route", "no-codec"]);

export const answeredBy = z.enum(["human", "machine", "unknown"]);

/** Signal that ended a machine's greeting, where its end was awaited; `other` is the time limit. */
export const greetingEnd = z.enum(["beep", "silence", "other"]);

/** A leg of any companion. */
const namedLeg = z.object({ leg: legId, accountSid: z.string() });

/** The INVITE of an outbound leg goes out; `parent` is the leg whose dial placed it. */
const inviting = z.object({
  type: z.literal("inviting"),
  parent: legId.optional(),
  from: z.string(),
  to: z.string(),
  sipCallId: z.string(),
  serviceContext: z.record(z.string(), z.unknown()).optional(),
});

const ringing = z.object({ type: z.literal("ringing") });

/** Progress of an outbound leg before its answer. */
export const progressEvent = z.discriminatedUnion("type", [inviting, ringing]);

export const legEvent = z.discriminatedUnion("type", [
  /** An authenticated Client sent an INVITE. Answered with the script for it. */
  z.object({
    type: z.literal("incoming"),
    login: z.string(),
    clientSid: z.string(),
    /** The Request-URI as dialled, without its headers. */
    uri: z.string(),
    displayName: z.string().optional(),
    sipCallId: z.string(),
    headers: z.record(z.string(), z.string()),
    ...numberParameters,
    /** The leg that the call is to replace (RFC 3891). */
    replaces: legId.optional(),
  }),
  incomingNumber,
  inviting,
  ringing,
  /** 200 and ACK. On a leg that `invite` placed, or a screened one, answered with its script. */
  z.object({ type: z.literal("answered") }),
  /** Result of answering machine detection, where `invite` orders it. Answered with the next script. */
  z.object({
    type: z.literal("detected"),
    answeredBy,
    greetingEnd: greetingEnd.optional(),
    /** Length of the analysis, in ms. */
    durationMs: z.number().int().nonnegative().optional(),
    /** Callback of the result while the script goes on. No script is requested then. */
    callback: callback.optional(),
  }),
  z.object({ type: z.literal("next"), action }),
  gatheredEvent,
  collectedEvent,
  partialEvent,
  notedEvent,
  referredEvent.extend({ outcome }),
  z.object({
    type: z.literal("dialled"),
    outcome,
    /** The leg that answered, else the last that failed. */
    leg: legId,
    durationS: z.number().int().nonnegative(),
    ringS: z.number().int().nonnegative(),
    sipStatus: z.number().int().optional(),
    sipCallId: z.string().optional(),
    /** X- and User-to-User headers of its final response. */
    headers: z.record(z.string(), z.string()).optional(),
    recording: recorded.optional(),
    action: action.optional(),
  }),
  consultingEvent,
  joinedEvent,
  leftEvent,
  queuedEvent,
  dequeuedEvent,
  waitingEvent,
  recordedEvent,
  transcribedEvent,
  streamEvent,
  streamedEvent,
  conversedEvent,
  /**
   * The softphone of a leg transfers the connected leg `other` (REFER, RFC 3515). Answered with a
   * script for `other`, which begins with a `reject` where the transfer is not allowed. Without
   * `other` the leg is in a conference, and the script dials the participant that replaces it.
   */
  z.object({
    type: z.literal("refer"),
    other: legId.optional(),
    /** The Refer-To URI, without its headers. */
    to: z.string(),
    /** Address of the Client that sent the REFER. */
    by: z.string(),
    /** The document of the Dial that connected the two, which decides. */
    action: action.optional(),
    /** X- and User-to-User headers for the INVITE, from the URI. */
    headers: z.record(z.string(), z.string()),
    /** The transferor's other leg, at another companion; the target is the leg connected to it. */
    replaces: namedLeg.optional(),
    /** The transferor's call, where another companion has it: the leg of the report is `other` then. */
    transferor: namedLeg.optional(),
  }),
  /**
   * A step could not be performed (audio not reachable, …); the script continues. `about` names the
   * cause, where it was not the audio at the URL.
   */
  z.object({
    type: z.literal("problem"),
    url: z.string(),
    message: z.string(),
    about: z.enum(["recognition", "speech", "simulation", "messages"]).optional(),
  }),
  /** Audio came from an address that signalling does not know, and was dropped; once for each leg. */
  z.object({ type: z.literal("unknownSource"), address: z.string() }),
  z.object({
    type: z.literal("ended"),
    outcome,
    sipStatus: z.number().int().optional(),
    reason: endReason.optional(),
    /** Description of the failure, where the reason alone does not say enough. */
    detail: z.string().max(eventLimits.endDetailLength).optional(),
    /** Side that ended it, and the cause. A cause that this program lacks counts as none. */
    disconnection: disconnection.optional().catch(undefined),
    /** The Gateway that its last INVITE left by, as the route named it. */
    gateway: z.object({ sid: z.string(), name: z.string().optional() }).optional()
      .catch(undefined),
  }),
]);

export type Outcome = z.infer<typeof outcome>;
export type EndReason = z.infer<typeof endReason>;
export type LegEvent = z.infer<typeof legEvent>;
