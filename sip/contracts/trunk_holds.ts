import { steadyNow } from "../../core/base/steady_clock.ts";
import type { TrunkRoute } from "../../core/protocol/trunks.ts";
import { sipLimits } from "../base/limits.ts";
import type { Target } from "../transport/resolve.ts";

/** A server of a route: one of the places that its proxy is at. */
export interface RouteServer {
  readonly route: TrunkRoute;
  readonly target: Target;
}

/** Servers that asked to be left alone for a while: 503 with Retry-After (RFC 3261 §21.5.4). */
export interface TrunkHolds {
  /** Leaves a server alone whose final response asks for that. */
  heed(server: RouteServer, response: { status: number; retryAfterS: number }): void;
  /** For how long yet a server is to be left alone; 0 for one that is not. */
  heldMs(server: RouteServer): number;
}

export function createTrunkHolds(now: () => number = steadyNow): TrunkHolds {
  const until = new Map<string, number>();
  return {
    heed(server, { status, retryAfterS }) {
      if (status !== 503 || retryAfterS === 0) return;
      const key = keyOf(server);
      until.delete(key);
      until.set(key, now() + Math.min(retryAfterS, sipLimits.trunkHoldMaxS) * 1000);
      const [oldest] = until.keys();
      if (until.size > sipLimits.trunkHolds && oldest !== undefined) until.delete(oldest);
    },
    heldMs(server) {
      const key = keyOf(server);
      const ms = Math.max((until.get(key) ?? 0) - now(), 0);
      if (ms === 0) until.delete(key);
      return ms;
    },
  };
}

/** One may be full for one of its users alone. */
const keyOf = ({ route: { gatewaySid, proxy, credentials }, target }: RouteServer): string => {
  const { protocol, address, port } = target;
  return JSON.stringify([gatewaySid, proxy, credentials?.userName, protocol, address, port]);
};
