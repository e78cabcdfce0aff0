import { z } from "zod";
import { ussdText } from "./ussd.ts";

/**
 * The part of the call-control protocol (`companion.ts`) about trunks: calls that leave through
 * proxies, calls that come in for numbers, and Gateways that the companion registers.
 */

export const trunkLimits = {
  /** Interval at which a companion requests its Gateways, besides `gatewaysChanged`. */
  gatewaysMs: 15_000,
  /** Proxies that one call is offered to. */
  routes: 10,
} as const;

/**
 * Of a sub-account: the account right under the root that it is below, by which shares of a companion
 * count. It comes with what begins a leg, before ports or Workers are taken. A service of a former
 * version names it in the answer to a heartbeat alone.
 */
export const tenant = z.string().min(1);

/** One SIP proxy that takes calls. */
export const trunkRoute = z.object({
  /** The Gateway it belongs to; null is the operator's proxy, or the host of a `sip:` address. */
  gatewaySid: z.string().nullable(),
  /** Its FriendlyName, where it is one of the calling account. */
  gatewayName: z.string().optional(),
  /** The account that owns the Gateway. */
  accountSid: z.string().optional(),
  /** `[sip:|sips:]host[:port][;transport=…]` */
  proxy: z.string().min(1),
  /** Answers a 401 or 407 of this proxy (RFC 3261 §22); without it such an answer is a refusal. */
  credentials: z.object({ userName: z.string(), password: z.string() }).optional(),
  /** A customer named the host: connect to public addresses only, checked after resolving it. */
  publicOnly: z.boolean(),
});

/**
 * A callee behind a SIP proxy. The Request-URI is `sip:DIALLED@PROXY`, or `dialled` itself where
 * that is a `sip:` or `sips:` URI. The next route is tried when one cannot be reached, does not
 * answer in time or answers 5xx; any other final answer is the callee's. When none is left the leg
 * ends as failed for the reason `no-trunk`; when none was given, with 404 for `no-route`.
 */
export const trunkTarget = z.object({
  kind: z.literal("trunk"),
  dialled: z.string().min(1),
  routes: z.array(trunkRoute).max(trunkLimits.routes),
});

/**
 * A number that an account of this service holds. The call comes in again, as `incomingNumber` on a
 * new leg of that account, without leaving the companion.
 */
export const numberTarget = z.object({
  kind: z.literal("number"),
  accountSid: z.string(),
  tenant: tenant.optional(),
  numberSid: z.string(),
  dialled: z.string().min(1),
  /** Numbers of this service that the call has been through, this one included. */
  hops: z.number().int().positive(),
});

/** Parameters of the user parts of a request (RFC 3261 §19.1.6). */
export const numberParameters = {
  /** As they were written, without `verstat`; by the name of the header, or `Request-URI`. */
  userParameters: z.record(z.string(), z.string()).optional(),
  /**
   * From trunks alone: statement of the network about the caller's number (3GPP TS 24.229
   * §7.2A.20).
   */
  verstat: z.string().max(64).optional(),
};

/**
 * A call came in for a number: one that `numberQuery` found for a trunk's INVITE, or the target of
 * another leg. Answered with its script.
 */
export const incomingNumber = z.object({
  type: z.literal("incomingNumber"),
  numberSid: z.string(),
  /** The value from the answer to the query, or from the target. */
  dialled: z.string(),
  /** The From address; `user` is empty where it has none. */
  from: z.object({ user: z.string(), host: z.string() }),
  displayName: z.string().optional(),
  /**
   * The user of the topmost Diversion (RFC 5806) or the last History-Info (RFC 7044) with a cause,
   * unless it requests privacy.
   */
  forwardedFrom: z.string().optional(),
  /** As in the target; 0 on a call that a trunk brought. */
  hops: z.number().int().nonnegative(),
  /** Account whose Gateway brought the call; absent for other trunks and for calls from within. */
  gatewayOf: z.string().optional(),
  sipCallId: z.string(),
  headers: z.record(z.string(), z.string()),
  ...numberParameters,
  /** A USSD dialogue, which has no media: its first text. */
  ussd: ussdText.optional(),
});

/** Looks up the account of an INVITE from a trunk, before the call has a leg. */
export const numberQuery = z.object({
  /**
   * Candidates for the number, likeliest first: the code that begins a USSD dialogue, and the users
   * of Request-URI, P-Called-Party-ID and To.
   */
  dialled: z.array(z.string().max(256)).min(1).max(4),
  /** The Gateway it comes through; null is an allowed source, a trunk of the operator. */
  gateway: z.object({ gatewaySid: z.string(), accountSid: z.string() }).nullable(),
});

export const foundNumber = z.object({
  accountSid: z.string(),
  tenant: tenant.optional(),
  numberSid: z.string(),
  /** Number of the query that it is. */
  dialled: z.string(),
  /** False: the account is suspended or closed. Refuse with 403. */
  allowed: z.boolean(),
});

/** `null`: no account that the source may reach has the number. Refuse with 404. */
export const numberAnswer = z.object({ number: foundNumber.nullable() });

export const gatewaysQuery = z.object({ companionId: z.string().min(1) });

/** A registration (RFC 3261 §10.2) that the companion keeps up. */
export const registration = z.object({
  gatewaySid: z.string(),
  accountSid: z.string(),
  tenant: tenant.optional(),
  /** Names the settings below. Under another version they are registered anew. */
  version: z.string(),
  userName: z.string(),
  password: z.string(),
  /** As in `trunkRoute`. */
  proxy: z.string(),
  publicOnly: z.boolean(),
  /** Value of Expires, in seconds. */
  ttlS: z.number().int().positive(),
});

/**
 * All Gateways that this companion must register; others are unregistered. Requested at the start,
 * at `gatewaysChanged`, and every `trunkLimits.gatewaysMs`.
 */
export const gatewaysAnswer = z.object({ gateways: z.array(registration) });

/**
 * The state of a registration, reported for each version and at every change: in order, each until the
 * service acknowledges it.
 */
export const gatewayReport = z.object({
  companionId: z.string().min(1),
  gatewaySid: z.string(),
  accountSid: z.string(),
  version: z.string(),
  status: z.enum(["registered", "unregistered", "failed"]),
  /** Why it failed, for the customer to read. */
  reason: z.string().max(255).optional(),
});

export type TrunkRoute = z.infer<typeof trunkRoute>;
export type TrunkTarget = z.infer<typeof trunkTarget>;
export type NumberTarget = z.infer<typeof numberTarget>;
export type IncomingNumber = z.infer<typeof incomingNumber>;
export type NumberQuery = z.infer<typeof numberQuery>;
export type FoundNumber = z.infer<typeof foundNumber>;
export type Registration = z.infer<typeof registration>;
export type GatewayReport = z.infer<typeof gatewayReport>;
