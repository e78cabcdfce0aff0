import { steadyNow } from "../../core/base/steady_clock.ts";
import type { TrunkRoute } from "../../core/protocol/trunks.ts";
import { sipLimits } from "../base/limits.ts";
import type { Target } from "../transport/resolve.ts";

/**
 * Cache of the servers of trunks that do not respond, so that no call and no text waits for one that is down
 * while another could take it (RFC 3263 §4.3). The first call to it waits for 5 s, the next ones do not. A
 * server is silent from its first missing response until it sends anything. Calls and texts then try it last,
 * and each one that passes it over may probe it by OPTIONS, at most once in 4 s and later once a minute. Some
 * servers ignore OPTIONS: one that was silent to OPTIONS alone is not passed over by calls. One call or text
 * tries a silent server in its own place after a minute, then ever more seldom, up to once an hour. A server
 * of which nothing is cached is probed before it gets a text, where another route exists.
 */

/** A server of a route: one of the places that its proxy is at, or the proxy where it is at none. */
export interface RouteServer {
  readonly route: TrunkRoute;
  readonly target?: Target;
}

export interface TrunkHolds {
  /** Heeds Retry-After of a final response: 503 with Retry-After (RFC 3261 §21.5.4). */
  heed(server: RouteServer, response: { status: number; retryAfterS: number }): void;
  /** Rest of a server's Retry-After, in ms; 0: none. */
  heldMs(server: RouteServer): number;
  /** Notes any message of a server. */
  hear(server: RouteServer): void;
  /** Notes that a server did not respond, or cannot be connected to or resolved. */
  miss(server: RouteServer, isProbe?: boolean): void;
  isSilent(server: RouteServer): boolean;
  /** True when it did not respond to more than OPTIONS, which some servers ignore. */
  isSilentToCalls(server: RouteServer): boolean;
  /**
   * True when a silent server is to be tried in its own place once more: a minute after it fell silent,
   * then ever more seldom. So a server that ignores OPTIONS is found again.
   */
  takeTrial(server: RouteServer): boolean;
  /** True while there is no entry of a server. */
  isUnknown(server: RouteServer): boolean;
  /** True when a silent server is to be probed by OPTIONS now; the interval doubles each time. */
  takeProbe(server: RouteServer): boolean;
}

/** Entry of one server: its silence, and the time of its next probe. */
interface Standing {
  /** 503 with Retry-After: until when it counts. */
  heldUntil: number;
  /** Undefined before the first question. */
  isSilent: boolean | undefined;
  /** OPTIONS was its only missing answer so far. */
  isSilentByProbe: boolean;
  /** It answered other requests while it was silent to OPTIONS. */
  ignoresOptions: boolean;
  probeAt: number;
  probeGapMs: number;
  trialAt: number;
  trialGapMs: number;
}

export function createTrunkHolds(now: () => number = steadyNow): TrunkHolds {
  const standings = new Map<string, Standing>();
  /** The one of a server, which is the latest then. */
  const standingOf = (server: RouteServer): Standing => {
    const key = keyOf(server);
    const standing = standings.get(key) ?? newStanding();
    standings.delete(key);
    standings.set(key, standing);
    const [oldest] = standings.keys();
    if (standings.size > sipLimits.trunkHolds && oldest !== undefined) standings.delete(oldest);
    return standing;
  };
  return {
    heed(server, { status, retryAfterS }) {
      if (status !== 503 || retryAfterS === 0) return;
      standingOf(server).heldUntil = now() + Math.min(retryAfterS, sipLimits.trunkHoldMaxS) * 1000;
    },
    heldMs(server) {
      return Math.max((standings.get(keyOf(server))?.heldUntil ?? 0) - now(), 0);
    },
    hear(server) {
      const standing = standingOf(server);
      standing.ignoresOptions ||= standing.isSilent === true && standing.isSilentByProbe;
      standing.isSilent = false;
      standing.isSilentByProbe = false;
    },
    miss(server, isProbe = false) {
      const standing = standingOf(server);
      if (isProbe && standing.ignoresOptions) return;
      standing.isSilentByProbe = isProbe &&
        (standing.isSilent !== true || standing.isSilentByProbe);
      if (standing.isSilent === true) return;
      standing.isSilent = true;
      standing.probeGapMs = sipLimits.trunkProbeMinMs;
      standing.probeAt = now();
      standing.trialGapMs = sipLimits.trunkProbeMaxMs;
      standing.trialAt = now() + standing.trialGapMs;
    },
    isSilentToCalls(server) {
      const standing = standings.get(keyOf(server));
      return standing?.isSilent === true && !standing.isSilentByProbe;
    },
    takeTrial(server) {
      const standing = standings.get(keyOf(server));
      if (standing?.isSilent !== true || standing.trialAt > now()) return false;
      standing.trialGapMs = Math.min(standing.trialGapMs * 2, sipLimits.trunkTrialMaxMs);
      standing.trialAt = now() + standing.trialGapMs;
      return true;
    },
    isSilent: (server) => standings.get(keyOf(server))?.isSilent === true,
    isUnknown: (server) => standings.get(keyOf(server))?.isSilent === undefined,
    takeProbe(server) {
      const standing = standings.get(keyOf(server));
      if (standing?.isSilent !== true || standing.probeAt > now()) return false;
      standing.probeAt = now() + standing.probeGapMs;
      standing.probeGapMs = Math.min(standing.probeGapMs * 2, sipLimits.trunkProbeMaxMs);
      return true;
    },
  };
}

const newStanding = (): Standing => ({
  heldUntil: 0,
  isSilent: undefined,
  isSilentByProbe: false,
  ignoresOptions: false,
  probeAt: 0,
  probeGapMs: 0,
  trialAt: 0,
  trialGapMs: 0,
});

/** One may be full for one of its users alone, and silent to one of them. */
const keyOf = ({ route: { gatewaySid, proxy, credentials }, target }: RouteServer): string =>
  JSON.stringify([
    gatewaySid,
    proxy,
    credentials?.userName,
    target?.protocol,
    target?.address,
    target?.port,
  ]);
