import { z } from "zod";
import { clientTarget, companionAddresses } from "./bridge_peers.ts";
import { incomingNumber, numberTarget, trunkTarget } from "./bridge_trunks.ts";

/**
 * The conversation between the service and the SIP companion; more of it: `bridge_trunks.ts`,
 * `bridge_registrations.ts`, `bridge_peers.ts` and `bridge_messages.ts`.
 *
 * The companion *reports* what happened to a leg and is answered with the next script; the service
 * *runs* a script on a leg. A leg's id is the Sid of its Call, so there is no mapping. A script is
 * performed in order; a step with an `action` ends with a report that carries it back, and a script
 * in the answer replaces what was left. The companion knows no markup and the service no SIP.
 */

export const legId = z.string().regex(/^CA[0-9a-f]{32}$/);

/** Who is called: every device a Client has registered, or a number or address. */
export const target = z.discriminatedUnion("kind", [
  clientTarget,
  trunkTarget,
  numberTarget,
]);

/** What the companion hands back when a step ends: where the next document comes from. */
export const action = z.object({
  url: z.string(),
  method: z.enum(["GET", "POST"]),
  /** Documents in a row that took no time; 0 when the steps before the report did. */
  hops: z.number().int().nonnegative(),
});

/** One leg to place. `headers` are X- and User-to-User headers for the INVITE. */
export const invitation = z.object({
  leg: legId,
  accountSid: z.string(),
  from: z.string(),
  to: z.string(),
  target,
  headers: z.record(z.string(), z.string()).optional(),
  /** The service's own notes about the leg, handed back untouched in `inviting`. */
  memo: z.record(z.string(), z.unknown()).optional(),
});

export const step = z.discriminatedUnion("type", [
  /** First step of a new leg: sends its INVITE. Once answered, that report brings the next script. */
  z.object({ type: z.literal("invite"), invitation, timeoutS: z.number().positive() }),
  /** Answers an inbound leg with media of our own; nothing on one already answered. */
  z.object({ type: z.literal("answer") }),
  /** Refuses an inbound leg with a SIP status; a hang-up on one already answered. */
  z.object({ type: z.literal("reject"), status: z.number().int().min(300).max(699) }),
  /** Plays the audio at a URL; `loop` 0 is until the leg ends. */
  z.object({ type: z.literal("play"), url: z.string(), loop: z.number().int().nonnegative() }),
  z.object({ type: z.literal("silence"), seconds: z.number().positive() }),
  /**
   * Rings all `legs`; the first to answer is joined with this leg, the others are cancelled. It ends
   * when nobody answered, either side hung up, or `timeLimitS` passed. `proxied` passes SDP through
   * and needs exactly one leg; `anchored` ends the media of both legs in the companion.
   */
  z.object({
    type: z.literal("dial"),
    legs: z.array(invitation).min(1).max(10),
    media: z.enum(["anchored", "proxied"]),
    timeoutS: z.number().positive(),
    timeLimitS: z.number().positive(),
    hangupOnStar: z.boolean().optional(),
    action: action.optional(),
  }),
  /**
   * Takes the place of another leg in its conversation, which then ends (RFC 3891); refuses the
   * caller with 481 when there is none any more.
   */
  z.object({ type: z.literal("replace"), leg: legId }),
  /** Asks for the document at the action: a report and nothing else. */
  z.object({ type: z.literal("next"), action }),
  /** BYE; before answer the failure of the last dial or 603 to a caller, CANCEL to a callee. */
  z.object({ type: z.literal("hangup") }),
]);

/** How a leg ended; the last word about it. */
export const outcome = z.enum(["completed", "busy", "no-answer", "failed", "canceled"]);

/** Why a leg ended, where its status does not tell: what its owner could mend. */
export const endReason = z.enum(["not-registered", "media-lost", "no-trunk"]);

export const legEvent = z.discriminatedUnion("type", [
  /** An authenticated Client sent an INVITE. Answered with what to do about it. */
  z.object({
    type: z.literal("incoming"),
    login: z.string(),
    clientSid: z.string(),
    /** The Request-URI as dialled, without its headers. */
    uri: z.string(),
    displayName: z.string().optional(),
    sipCallId: z.string(),
    headers: z.record(z.string(), z.string()),
    /** The leg whose place the call is to take in its conversation (RFC 3891). */
    replaces: legId.optional(),
  }),
  incomingNumber,
  /** The INVITE of an outbound leg goes out; `parent` is the leg whose dial placed it. */
  z.object({
    type: z.literal("inviting"),
    parent: legId.optional(),
    from: z.string(),
    to: z.string(),
    sipCallId: z.string(),
    memo: z.record(z.string(), z.unknown()).optional(),
  }),
  z.object({ type: z.literal("ringing") }),
  /** 200 and ACK. On a leg that `invite` placed, answered with the next script. */
  z.object({ type: z.literal("answered") }),
  z.object({ type: z.literal("next"), action }),
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
    action: action.optional(),
  }),
  /**
   * The softphone of a leg wants `other`, whom it talks to, to talk to somebody else (RFC 3515).
   * Answered with a script for `other`, which begins with a `reject` where that may not be.
   */
  z.object({
    type: z.literal("refer"),
    other: legId,
    /** The Refer-To URI, without its headers. */
    to: z.string(),
    /** Who refers: the Client's own address. */
    by: z.string(),
    /** X- and User-to-User headers for the INVITE, from the URI. */
    headers: z.record(z.string(), z.string()),
  }),
  /** A step could not be done as asked (audio out of reach, …); the script goes on. */
  z.object({ type: z.literal("problem"), url: z.string(), message: z.string() }),
  z.object({
    type: z.literal("ended"),
    outcome,
    sipStatus: z.number().int().optional(),
    reason: endReason.optional(),
  }),
]);

/** A companion process: `id` names it, `runId` is new at every start. */
export const companion = z.object({ id: z.string().min(1), runId: z.string().min(1) });

/** `seq` counts a leg's reports from 0; `at` is when it happened, in ms. Repeats are harmless. */
export const report = z.object({
  companion,
  leg: legId,
  accountSid: z.string(),
  seq: z.number().int().nonnegative(),
  at: z.number().int(),
  event: legEvent,
  /** False: acknowledge at once, nobody waits for a script. */
  wantsScript: z.boolean(),
});

/** Reports that want no script, of any legs, at most one of each. */
export const news = z.object({ reports: z.array(report).min(1).max(256) });

/**
 * What became of each: `outage` and `defect` may be sent again (a defect is of the report itself, or
 * of the service), `refused` never.
 */
export const newsAnswer = z.object({
  outcomes: z.array(z.enum(["taken", "outage", "defect", "refused"])),
});

/** An empty or absent script means: go on with the steps that are left. */
export const reportAnswer = z.object({ script: z.array(step) });

export const credentialsQuery = z.object({ login: z.string() });

/** HA1 per RFC 7616 §3.4.2 for the SIP domain as realm; never the password. */
export const credentials = z.object({
  accountSid: z.string(),
  clientSid: z.string(),
  ha1: z.object({ md5: z.string(), sha256: z.string() }),
  /** False: the Client is disabled, or its account suspended or closed. */
  allowed: z.boolean(),
});

/** `null` when no Client has the login. */
export const credentialsAnswer = z.object({ credentials: credentials.nullable() });

/** Every `bridgeLimits.heartbeatMs`: the companion lives, and these are its legs. */
export const heartbeat = z.object({
  companion,
  legs: z.array(z.object({ leg: legId, accountSid: z.string() })),
  /** Clients with a phone registered. */
  registered: z.number().int().nonnegative(),
  ...companionAddresses,
  /** Its last one: it stops, and all its calls have ended. */
  isLast: z.boolean().optional(),
});

/** `other` is for whom the leg talks to, who else would lose the call with it. */
export const runRequest = z.object({
  leg: legId,
  script: z.array(step),
  other: z.array(step).optional(),
});
export const runAnswer = z.object({ companion });

/** What the companion must forget: the cached credentials of these logins. */
export const invalidation = z.object({ logins: z.array(z.string()) });

export type Target = z.infer<typeof target>;
export type Action = z.infer<typeof action>;
export type Invitation = z.infer<typeof invitation>;
export type Step = z.infer<typeof step>;
export type Script = Step[];
export type Outcome = z.infer<typeof outcome>;
export type EndReason = z.infer<typeof endReason>;
export type LegEvent = z.infer<typeof legEvent>;
export type Companion = z.infer<typeof companion>;
export type Report = z.infer<typeof report>;
export type News = z.infer<typeof news>;
export type NewsAnswer = z.infer<typeof newsAnswer>;
export type Credentials = z.infer<typeof credentials>;
export type Heartbeat = z.infer<typeof heartbeat>;

/** Paths of the two sides; every request is a signed POST of JSON. */
export const bridgePaths = {
  /** On the service. */
  report: "/bridge/report",
  news: "/bridge/news",
  credentials: "/bridge/credentials",
  heartbeat: "/bridge/heartbeat",
  /** On the companion. */
  run: "/run",
  invalidate: "/invalidate",
  ready: "/ready",
} as const;

export const bridgeLimits = {
  /** How old or how far ahead a signature may be. */
  signatureWindowMs: 30_000,
  heartbeatMs: 5_000,
  bodyBytes: 1 << 20,
  /** Room for over 100,000 legs. */
  heartbeatBytes: 16 << 20,
} as const;
