import type { TrunkRoute } from "../../core/bridge_trunks.ts";
import { sipLimits } from "../limits.ts";

/** Routes that asked to be left alone for a while: 503 with Retry-After (RFC 3261 §21.5.4). */
export interface TrunkHolds {
  hold(route: TrunkRoute, seconds: number): void;
  holds(route: TrunkRoute): boolean;
}

export function createTrunkHolds(now: () => number = Date.now): TrunkHolds {
  const until = new Map<string, number>();
  return {
    hold(route, seconds) {
      const key = keyOf(route);
      until.delete(key);
      until.set(key, now() + Math.min(seconds, sipLimits.trunkHoldMaxS) * 1000);
      const [oldest] = until.keys();
      if (until.size > sipLimits.trunkHolds && oldest !== undefined) until.delete(oldest);
    },
    holds(route) {
      const key = keyOf(route);
      const isHeld = (until.get(key) ?? 0) > now();
      if (!isHeld) until.delete(key);
      return isHeld;
    },
  };
}

/** A proxy may be full for one of its users alone. */
const keyOf = ({ gatewaySid, proxy, credentials }: TrunkRoute): string =>
  JSON.stringify([gatewaySid, proxy, credentials?.userName]);
