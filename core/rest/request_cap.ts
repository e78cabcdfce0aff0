import { limits } from "../base/limits.ts";
import { tokenBuckets } from "./token_buckets.ts";

/** Counts what each account asks, so that no program of one takes the service from the others. */
export interface RequestCap {
  /** Counts one request: 0 when it may be answered, otherwise the whole seconds until one may. */
  take(accountSid: string): number;
  /** How many requests it may send now, and the whole seconds until it may send as many as ever. */
  left(accountSid: string): { requests: number; fullInS: number };
  /** The most requests that may be sent at once. */
  readonly most: number;
}

/**
 * A cap for the requests that this instance answers: `perSecond` of each account, after a pause up to
 * ten times as many at once. Null when there is none: at 0.
 */
export function createRequestCap(perSecond: number, now: () => number): RequestCap | null {
  if (perSecond === 0) return null;
  const most = perSecond * limits.requestBurstS;
  const buckets = tokenBuckets({ perSecond, most }, now);
  return {
    most,
    take(accountSid) {
      const waitS = buckets.waitOf(accountSid);
      buckets.take(accountSid);
      return waitS;
    },
    left(accountSid) {
      const tokens = buckets.tokensOf(accountSid);
      return { requests: Math.floor(tokens), fullInS: Math.ceil((most - tokens) / perSecond) };
    },
  };
}
