import { z } from "zod";
import { action } from "./action.ts";
import { ringToneNames } from "./ring_tones.ts";
import { hangupCause } from "./disconnection.ts";
import { callback, digits, digitsStep, gatherStep, playStep, silenceStep } from "./gather.ts";
import { clientTarget, legTarget } from "./peers.ts";
import {
  monitorStep,
  recordLegStep,
  stopTranscriptionStep,
  transcribeLegStep,
} from "./leg_tasks.ts";
import { noteStep } from "./note.ts";
import { referStep } from "./refer.ts";
import { recordingManner, recordingOrder, recordStep } from "./recordings.ts";
import { conferenceStep, consultStep, leaveStep, pickupStep, queueStep } from "./conferences.ts";
import { sayStep } from "./speech.ts";
import { converseStep, stopStreamStep, streamStep } from "./streams.ts";
import { ussdInvitation, ussdStep } from "./ussd.ts";
import { numberTarget, tenant, trunkTarget } from "./trunks.ts";

/**
 * The part of the call-control protocol (`companion.ts`) about scripts: the steps that a leg
 * performs.
 */

export const legId = z.string().regex(/^CA[0-9a-f]{32}$/);

/** The callee: every registered device of a Client, a number or address, or the peer of a leg. */
export const target = z.discriminatedUnion("kind", [
  clientTarget,
  trunkTarget,
  numberTarget,
  legTarget,
]);

/** Settings of answering machine detection. */
const machineDetection = z.object({
  /** Time limit, and true to wait for the end of a machine's greeting. */
  timeoutS: z.number().positive(),
  untilEnd: z.boolean(),
  /** Greeting at least so long: a machine. Pause that ends a person's greeting. Silence: unknown. */
  speechThresholdMs: z.number().positive(),
  speechEndMs: z.number().positive(),
  silenceMs: z.number().positive(),
});

/** One leg to place. `headers` are X- and User-to-User headers for the INVITE. */
export const invitation = z.object({
  leg: legId,
  accountSid: z.string(),
  tenant: tenant.optional(),
  from: z.string(),
  to: z.string(),
  target,
  headers: z.record(z.string(), z.string()).optional(),
  /** Sent as soon as it is answered, before all else. */
  sendDigits: digits.optional(),
  /**
   * A leg of a dial whose `answered` report wants a script. It is performed while the caller hears
   * ringing, and at a `connect` the two are joined; a leg that ends before was not answered.
   */
  screened: z.boolean().optional(),
  /** Of a leg of a dial: answering machine detection while the two are connected. */
  machineDetection: machineDetection.extend({ callback: callback.optional() }).optional(),
  /** Begins a USSD dialogue, which has no media; its script goes on when it is answered. */
  ussd: ussdInvitation.optional(),
  /**
   * Of a leg of a dial: limits count it. Its `inviting` requests a script before the INVITE goes
   * out: `connect` sends it, `reject` ends the leg.
   */
  limited: z.literal(true).optional(),
  /**
   * Ms after its answer at which a limit ends the leg. A `hangup` with `afterMs` sets another time:
   * the service then counts its minutes, and puts the end off.
   */
  endsAfterMs: z.number().int().positive().optional(),
  /** Data of the service about the leg, returned unchanged in `inviting`. */
  serviceContext: z.record(z.string(), z.unknown()).optional(),
});

export const step = z.discriminatedUnion("type", [
  /**
   * First step of a new leg: sends its INVITE. The report of the answer brings the next script; with
   * `machineDetection`, the report of its result does.
   */
  z.object({
    type: z.literal("invite"),
    invitation,
    timeoutS: z.number().positive(),
    /** With `isAsync` the answer brings the next script, and the result is an event beside it. */
    machineDetection: machineDetection.extend({
      isAsync: z.boolean().optional(),
      callback: callback.optional(),
    }).optional(),
    /** Records the leg from its answer to its end. */
    record: recordingOrder.optional(),
    recordingManner: recordingManner.optional(),
  }),
  /** Answers an inbound leg with media of our own; nothing on one already answered. */
  z.object({ type: z.literal("answer") }),
  /**
   * Refuses an inbound leg with a SIP status, and words for its Warning header; a hang-up on one already
   * answered.
   */
  z.object({
    type: z.literal("reject"),
    status: z.number().int().min(300).max(699),
    text: z.string().max(500).optional().catch(undefined),
    /** Absent: the markup refuses the call. */
    cause: hangupCause.optional().catch(undefined),
  }),
  playStep,
  sayStep,
  silenceStep,
  digitsStep,
  gatherStep,
  /** Sends the audio of the peer back to it. */
  z.object({ type: z.literal("echo"), seconds: z.number().positive() }),
  /**
   * Rings all `legs`. Connects this leg to the first that answers and passes its screening, and cancels
   * the others. The step ends when no leg answered, either side hung up, or `timeLimitS` passed.
   * `proxied` passes SDP through and needs exactly one leg; `anchored` ends the media of both legs in
   * the companion.
   */
  z.object({
    type: z.literal("dial"),
    legs: z.array(invitation).min(1).max(10),
    media: z.enum(["anchored", "proxied"]),
    timeoutS: z.number().positive(),
    timeLimitS: z.number().positive(),
    hangupOnStar: z.boolean().optional(),
    /** Rings one leg after the other, each for `timeoutS`. */
    sequential: z.boolean().optional(),
    /** The country whose ringing tone the caller hears, also before it is answered. */
    ringTone: z.enum(ringToneNames).optional(),
    /** The document that decides when either side transfers the other. */
    refer: action.optional(),
    /** Records both sides from the answer on: this leg's on the first channel. */
    record: recordingOrder.optional(),
    recordingManner: recordingManner.optional(),
    action: action.optional(),
  }),
  /**
   * Replaces another leg in its conversation; that leg then ends (RFC 3891). Refuses the caller
   * with 481 when the other leg is not connected any more.
   */
  z.object({ type: z.literal("replace"), leg: legId }),
  consultStep,
  conferenceStep,
  queueStep,
  pickupStep,
  leaveStep,
  referStep,
  noteStep,
  recordStep,
  monitorStep,
  recordLegStep,
  transcribeLegStep,
  stopTranscriptionStep,
  streamStep,
  stopStreamStep,
  converseStep,
  ussdStep,
  /** Requests the document at the action: a report and nothing else. */
  z.object({ type: z.literal("next"), action }),
  /** Ends screening: the dial connects this leg. On any other leg, a hang-up. */
  z.object({ type: z.literal("connect") }),
  /** BYE; before answer the failure of the last dial or 603 to a caller, CANCEL to a callee. */
  z.object({
    type: z.literal("hangup"),
    cause: hangupCause.optional().catch(undefined),
    /**
     * Of a script that is this step alone: until then the leg goes on with what it does. A later order
     * replaces an earlier one.
     */
    afterMs: z.number().int().positive().max(3_600_000).optional(),
  }),
]);

export type Target = z.infer<typeof target>;
export type Invitation = z.infer<typeof invitation>;
export type Step = z.infer<typeof step>;
export type Script = Step[];
