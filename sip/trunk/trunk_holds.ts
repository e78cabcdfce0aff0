import type { TrunkRoute } from "../../core/bridge_trunks.ts";
import { sipLimits } from "../limits.ts";
import type { Target } from "../transport/resolve.ts";

/** A server of a route: one of the places that its proxy is at. */
export interface RouteServer {
  readonly route: TrunkRoute;
  readonly target: Target;
}

/** Servers that asked to be left alone for a while: 503 with Retry-After (RFC 3261 §21.5.4). */
export interface TrunkHolds {
  hold(server: RouteServer, seconds: number): void;
  holds(server: RouteServer): boolean;
}

export function createTrunkHolds(now: () => number = Date.now): TrunkHolds {
  const until = new Map<string, number>();
  return {
    hold(server, seconds) {
      const key = keyOf(server);
      until.delete(key);
      until.set(key, now() + Math.min(seconds, sipLimits.trunkHoldMaxS) * 1000);
      const [oldest] = until.keys();
      if (until.size > sipLimits.trunkHolds && oldest !== undefined) until.delete(oldest);
    },
    holds(server) {
      const key = keyOf(server);
      const isHeld = (until.get(key) ?? 0) > now();
      if (!isHeld) until.delete(key);
      return isHeld;
    },
  };
}

/** One may be full for one of its users alone. */
const keyOf = ({ route: { gatewaySid, proxy, credentials }, target }: RouteServer): string => {
  const { protocol, address, port } = target;
  return JSON.stringify([gatewaySid, proxy, credentials?.userName, protocol, address, port]);
};
