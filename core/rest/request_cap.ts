import { limits } from "../base/limits.ts";

/** Counts what each account asks, so that no program of one takes the service from the others. */
export interface RequestCap {
  /** Counts one request: 0 when it may be answered, otherwise the whole seconds until one may. */
  take(accountSid: string): number;
  /** How many requests it may send now, and the whole seconds until it may send as many as ever. */
  left(accountSid: string): { requests: number; fullInS: number };
  /** The most requests that may be sent at once. */
  readonly most: number;
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

  const filled = (accountSid: string): number => {
    const { tokens, at } = buckets.get(accountSid) ?? { tokens: most, at: now() };
    return Math.min(most, tokens + Math.max(0, now() - at) / 1000 * perSecond);
  };

  return {
    most,
    take(accountSid) {
      forget();
      const tokens = filled(accountSid);
      const isTaken = tokens >= 1;
      buckets.delete(accountSid);
      buckets.set(accountSid, { tokens: isTaken ? tokens - 1 : tokens, at: now() });
      return isTaken ? 0 : Math.max(1, Math.ceil((1 - tokens) / perSecond));
    },
    left(accountSid) {
      const tokens = filled(accountSid);
      return { requests: Math.floor(tokens), fullInS: Math.ceil((most - tokens) / perSecond) };
    },
  };
}
