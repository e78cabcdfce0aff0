import { limits } from "../base/limits.ts";

/** Counts what each account asks, so that no program of one takes the service from the others. */
export interface RequestCap {
  /** Counts one request: 0 when it may be answered, otherwise the whole seconds until one may. */
  take(accountSid: string): number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * A cap for the requests that this instance answers: `perSecond` of each account, after a pause up to
 * ten times as many at once. Null when there is none: at 0.
 */
export function createRequestCap(perSecond: number, now: () => number): RequestCap | null {
  if (perSecond === 0) return null;
  const most = perSecond * limits.requestBurstS;
  // In the order of their last request: the first have filled up again, and need not be known.
  const buckets = new Map<string, Bucket>();

  const forget = () => {
    for (const [sid, { at }] of buckets) {
      if (now() - at < limits.requestBurstS * 1000) break;
      buckets.delete(sid);
    }
  };

  return {
    take(accountSid) {
      forget();
      const { tokens: left, at } = buckets.get(accountSid) ?? { tokens: most, at: now() };
      const tokens = Math.min(most, left + Math.max(0, now() - at) / 1000 * perSecond);
      const isTaken = tokens >= 1;
      buckets.delete(accountSid);
      buckets.set(accountSid, { tokens: isTaken ? tokens - 1 : tokens, at: now() });
      return isTaken ? 0 : Math.max(1, Math.ceil((1 - tokens) / perSecond));
    },
  };
}
