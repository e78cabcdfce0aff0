import { AsyncLocalStorage } from "node:async_hooks";
import { z } from "zod";
import { currentTraceId, currentTraceparent, withTraceparent } from "./tracing.ts";

/**
 * The request that the work at hand comes from. It goes with jobs, and with scripts to companions
 * and their reports. So Notifications, Deliveries and spans of a call name the request that placed
 * or changed it, in each process.
 */
export const origin = z.object({
  /** The X-Request-Id of the request. */
  requestId: z.string().max(64).optional(),
  /** The span that it comes from (W3C Trace Context, section 3.2), while traces are exported. */
  traceparent: z.string().max(64).optional(),
});

export type Origin = z.infer<typeof origin>;

const requestIds = new AsyncLocalStorage<string | undefined>();

/** Runs `work`, and all that it begins, as work of this origin; of no request where it has none. */
export const withOrigin = <T>(known: Origin | null | undefined, work: () => T): T =>
  requestIds.run(known?.requestId, () => withTraceparent(known?.traceparent, work));

/** The origin of the work at hand, undefined where there is none. */
export function currentOrigin(): Origin | undefined {
  const [requestId, traceparent] = [requestIds.getStore(), currentTraceparent()];
  if (requestId === undefined && traceparent === undefined) return undefined;
  return { ...requestId && { requestId }, ...traceparent && { traceparent } };
}

/** The X-Request-Id that the work at hand comes from, null where there is none. */
export const currentRequestId = (): string | null => requestIds.getStore() ?? null;

/** The fields by which a line of the log names the origin of the work at hand. */
export function originFields(): { requestId?: string; traceId?: string } {
  const [requestId, traceId] = [requestIds.getStore(), currentTraceId()];
  return { ...requestId && { requestId }, ...traceId && { traceId } };
}
