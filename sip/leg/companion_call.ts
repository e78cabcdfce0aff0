/**
 * Conferences and queues across companions. The owner of a call places an INVITE with a signed
 * order to the companion of the conference or of the waiting call, and joins the two legs. Audio
 * between companions is DTLS-SRTP.
 *
 * - The companion of the conference mixes, mutes, removes and records, and takes the requests of
 *   REST.
 * - The owner keeps the call's script, reports, wait music, keys and time limit.
 * - A companion that dies takes its conferences with it. Calls elsewhere go on behind their Dial at
 *   once, or within 12 s where that companion hangs: INFO probes each.
 * - A new conference of the name begins once the heartbeats of the dead companion are 15 s old.
 * - A waiting call that a Dial cannot reach keeps its place in the queue.
 */
import { z } from "zod";
import { action } from "../../core/protocol/action.ts";
import { recorded } from "../../core/protocol/recordings.ts";
import { conferenceStep } from "../../core/protocol/conferences.ts";
import { legId, step } from "../../core/protocol/script.ts";
import { companionType, type Content } from "../base/info.ts";

/**
 * Messages between companions where a call of one joins a conference of another, or a call that waits
 * in its queue. The first one has the call with its script and its reports; it places
 * an INVITE with an order, and both talk by INFO in that dialog.
 */

/**
 * Answers the INVITE where another run of the companion was meant, which has nothing of that any
 * more.
 */
export const ANOTHER_RUN = 410;

/** Purpose of an INVITE. */
const companionCallOrder = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("conference"),
    /** Sid of the Call that joins. */
    leg: legId,
    runId: z.string(),
    step: conferenceStep.omit({ at: true, wait: true, action: true, serviceContext: true }),
  }),
  z.object({
    type: z.literal("pickup"),
    leg: legId,
    runId: z.string(),
    /** The document that the waiting leg hears first. */
    whisper: action.optional(),
  }),
]);

const companionCallEvent = z.discriminatedUnion("type", [
  /**
   * The caller is in the conference, and waits; `isHeld` by the service. Where it is, it hears its
   * wait, or the document that the service said later; null is silence.
   */
  z.object({
    type: z.literal("waits"),
    isHeld: z.boolean(),
    wait: action.nullable().optional(),
  }),
  /** Audible steps are performed for the caller, where it is. */
  z.object({ type: z.literal("announces"), script: z.array(step) }),
  /** It is in the conference and hears it, or talks to the call that it took. */
  z.object({ type: z.literal("talks"), sipCallId: z.string().optional() }),
  /** The conference was full. */
  z.object({ type: z.literal("full") }),
  /**
   * The call of the receiving companion performs a script, as MoveConnectedCallLeg moved both legs.
   */
  z.object({ type: z.literal("run"), script: z.array(step) }),
  /** The call waits no longer. */
  z.object({ type: z.literal("gone") }),
  /** The caller is about to leave, and wants to know what was recorded. */
  z.object({ type: z.literal("leave") }),
  /** It is no longer in the conference; BYE follows. */
  z.object({ type: z.literal("left"), recording: recorded.nullable() }),
]);

/** Purpose of the INVITE between two companions. */
export type CompanionCallOrder = z.infer<typeof companionCallOrder>;
/** Event that the two send each other by INFO. */
export type CompanionCallEvent = z.infer<typeof companionCallEvent>;

/** The value of an `orderHeader`. */
export const writeOrder = (order: CompanionCallOrder): string =>
  new TextEncoder().encode(JSON.stringify(order)).toBase64({ alphabet: "base64url" });

/** Undefined for what is none. */
export function readOrder(header: string): CompanionCallOrder | undefined {
  try {
    const text = new TextDecoder().decode(Uint8Array.fromBase64(header, { alphabet: "base64url" }));
    return companionCallOrder.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** The body of an INFO. */
export const writeEvent = (news: CompanionCallEvent): Content => ({
  contentType: companionType,
  content: JSON.stringify(news),
});

/** Undefined for what is none. */
export function readEvent(body: Content): CompanionCallEvent | undefined {
  if (body.contentType !== companionType) return undefined;
  try {
    return companionCallEvent.safeParse(JSON.parse(body.content)).data;
  } catch {
    return undefined;
  }
}
