import { AsyncLocalStorage } from "node:async_hooks";
import { z } from "zod";

/**
 * The request that the work at hand comes from. It goes with jobs, and with scripts to companions and
 * their reports: so the Notifications and Deliveries of a call name the request that placed or changed
 * it, whichever process makes them.
 */
export const origin = z.object({
  /** The X-Request-Id of the request. */
  requestId: z.string().max(64).optional(),
});

export type Origin = z.infer<typeof origin>;

const storage = new AsyncLocalStorage<Origin>();

/** Runs `work`, and all that it begins, as work of this origin; of none where that is unknown. */
export const withOrigin = <T>(known: Origin | null | undefined, work: () => T): T =>
  storage.run(known ?? {}, work);

/** The origin of the work at hand, undefined where there is none. */
export function currentOrigin(): Origin | undefined {
  const known = storage.getStore();
  return known?.requestId === undefined ? undefined : known;
}

/** The X-Request-Id that the work at hand comes from, null where there is none. */
export const currentRequestId = (): string | null => currentOrigin()?.requestId ?? null;
