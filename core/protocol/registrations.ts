import { z } from "zod";
import { companion } from "./companion.ts";

/**
 * The part of the call-control protocol (`companion.ts`) that is about registered devices. A companion tells who has a device there,
 * so that the service knows where a Client can be called; what the devices are it is asked when
 * somebody wants to know.
 */

const login = z.string().min(1).max(64);

/** Of came and went in one request; together they are one commit. */
const loginsAtOnce = 400;

/**
 * The first devices that came and the last ones that went. `seq` counts a companion's news from 0,
 * sent one after another, each until it is acknowledged. `whole` begins anew: what was told before
 * it counts no more.
 */
export const presenceChanges = z.object({
  companion,
  seq: z.number().int().nonnegative(),
  whole: z.boolean(),
  came: z.array(login).max(loginsAtOnce),
  went: z.array(login).max(loginsAtOnce),
  /** Clients with a device registered, after these news. */
  registered: z.number().int().nonnegative(),
});

/** False: the service lacks what came before these news, and asks for the whole. */
export const presenceAnswer = z.object({ isKnown: z.boolean() });

/** True: the service knows no presence of this companion, and requests the whole list. */
export const heartbeatAnswer = z.object({ wantsPresence: z.boolean().optional() });

export const bindingsRequest = z.object({ login });

/** One registered way to a device; times are in ms. */
export const registeredBinding = z.object({
  contact: z.string(),
  transport: z.string(),
  /** Host and port as the companion sees them. */
  remoteAddress: z.string(),
  userAgent: z.string().nullable(),
  instanceId: z.string().nullable(),
  regId: z.string().nullable(),
  path: z.array(z.string()),
  registeredAt: z.number(),
  expiresAt: z.number(),
});

export const bindingsAnswer = z.object({ bindings: z.array(registeredBinding) });

export type PresenceChanges = z.infer<typeof presenceChanges>;
export type HeartbeatAnswer = z.infer<typeof heartbeatAnswer>;
export type RegisteredBinding = z.infer<typeof registeredBinding>;

export const registrationLimits = { loginsAtOnce } as const;
