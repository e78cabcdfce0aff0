/**
 * Rate limits of the REST interface: reads, writes and both together, of a tenant at one instance.
 *
 * Bounds of what an instance gives count by tenant (`core/accounts/tenant.ts`): the account right
 * below the root account, with its sub-accounts. Counted by account, one tenant with 26
 * sub-accounts took all 500 event streams. Buckets are in memory, so several instances allow a
 * multiple. Wrong credentials count for no account.
 *
 * Reads and writes have buckets of their own: a program that polls lists must not keep its account
 * from placing calls. REQUESTS_PER_SECOND limits both together. Where an operator has set it, the
 * other two are off unless they are set too. Refused: its value for each of the two, since an
 * account then sends twice as much; half of its value for each, since a client that only reads gets
 * half.
 */
import { limits } from "../../base/limits.ts";
import { tokenBuckets } from "./token_buckets.ts";

/**
 * Requests of one tenant that an instance answers in a second: reads, writes, and both together. 0:
 * without a limit.
 */
export interface RequestRates {
  reads: number;
  writes: number;
  requests: number;
}

/** Result of a request at the rate limits of its tenant. */
export interface Admission {
  /** 0 when it may be answered, otherwise the whole seconds until one may. */
  retryAfterS: number;
  /** `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-10). */
  headers: Record<string, string>;
}

/** The rate limits of each tenant at this instance: of reading, of writing, and of both together. */
export interface RateLimits {
  /** Counts one request; one that is refused counts for nothing. */
  admit(tenant: string, method: string): Admission;
}

interface NamedCap extends RequestCap {
  name: keyof RequestRates;
}

/** The limits of the rates that are not 0. Null when there are none. */
export function createRateLimits(rates: RequestRates, now: () => number): RateLimits | null {
  const caps = (["reads", "writes", "requests"] as const).flatMap((name): NamedCap[] => {
    const cap = createRequestCap(rates[name], now);
    return cap === null ? [] : [{ ...cap, name }];
  });
  if (caps.length === 0) return null;
  return {
    admit(tenant, method) {
      const isRead = method === "GET" || method === "HEAD";
      const over = caps.filter(({ name }) => name !== (isRead ? "writes" : "reads"));
      const full = over.filter((cap) => cap.left(tenant).requests === 0);
      // Of a full one, `take` takes nothing and gives the wait.
      const waits = (full.length > 0 ? full : over).map((cap) => cap.take(tenant));
      const retryAfterS = Math.max(0, ...waits);
      return { retryAfterS, headers: headersOf(over, tenant, retryAfterS) };
    },
  };
}

/** `t` is the time until the quota is whole again; of a quota that is spent in a refusal, Retry-After. */
function headersOf(
  caps: NamedCap[],
  tenant: string,
  retryAfterS: number,
): Record<string, string> {
  if (caps.length === 0) return {};
  const left = caps.map(({ name, left }) => {
    const { requests, fullInS } = left(tenant);
    return `"${name}";r=${requests};t=${requests === 0 && retryAfterS > 0 ? retryAfterS : fullInS}`;
  });
  const policy = caps.map(({ name, most }) => `"${name}";q=${most};w=${limits.requestBurstS}`);
  return { "RateLimit": left.join(", "), "RateLimit-Policy": policy.join(", ") };
}

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
