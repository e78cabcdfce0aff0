import { limits } from "../../base/limits.ts";
import { tokenBuckets } from "./token_buckets.ts";

/**
 * Counts the requests of each tenant, so that no program of one takes the service from the others.
 */
export interface RequestCap {
  /** Counts one request: 0 when it may be answered, otherwise the whole seconds until one may. */
  take(tenant: string): number;
  /**
   * Number of requests it may send now, and whole seconds until it may send the full number again.
   */
  left(tenant: string): { requests: number; fullInS: number };
  /** The most requests that may be sent at once. */
  readonly most: number;
}

/**
 * A cap for the requests that this instance answers: `perSecond` of each tenant, after a pause up to
 * ten times as many at once. Null when there is none: at 0.
 */
export function createRequestCap(perSecond: number, now: () => number): RequestCap | null {
  if (perSecond === 0) return null;
  const most = perSecond * limits.requestBurstS;
  const buckets = tokenBuckets({ perSecond, most }, now);
  return {
    most,
    take(tenant) {
      const waitS = buckets.waitOf(tenant);
      buckets.take(tenant);
      return waitS;
    },
    left(tenant) {
      const tokens = buckets.tokensOf(tenant);
      return { requests: Math.floor(tokens), fullInS: Math.ceil((most - tokens) / perSecond) };
    },
  };
}
