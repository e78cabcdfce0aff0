import { z } from "zod";
import { companion } from "./companion.ts";

/**
 * The part of the call-control protocol (`companion.ts`) about registered devices. A companion reports
 * the Clients that have a device there, so that the service can route calls to them. The service
 * requests the details of the devices when a client of the REST interface reads them.
 */

const login = z.string().min(1).max(64);

/** Of came and went in one request; together they are one commit. */
const loginsAtOnce = 400;

/**
 * Clients whose first device registered or whose last one left. `seq` counts a companion's changes from
 * 0. It sends them one after another, each until it is acknowledged. `whole` replaces all earlier
 * changes.
 */
export const presenceChanges = z.object({
  companion,
  seq: z.number().int().nonnegative(),
  whole: z.boolean(),
  came: z.array(login).max(loginsAtOnce),
  went: z.array(login).max(loginsAtOnce),
  /** Clients with a device registered, after these changes. */
  registered: z.number().int().nonnegative(),
});

/** False: the service lacks earlier changes, and requests the whole state. */
export const presenceAnswer = z.object({ isKnown: z.boolean() });

/** True: the service has no registrations of this companion, and requests the whole state. */
export const heartbeatAnswer = z.object({
  wantsPresence: z.boolean().optional(),
  /** Of the legs' accounts that are sub-accounts: the account right under the root that each is below. */
  tenants: z.record(z.string(), z.string()).optional(),
  /** The root account, whose calls are the operator's own. */
  operator: z.string().optional(),
});

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
