import { steadyNow } from "../../core/base/steady_clock.ts";
import { networkOf } from "../../core/base/networks.ts";
import { createAddressPlaces } from "../../core/machine/net/places.ts";
import type { Flow } from "./flow.ts";
import { sipLimits } from "./limits.ts";
import { dropOldest } from "./lockout.ts";

/** Bounds of one unauthenticated address; 0: no bound. */
export interface AdmissionBounds {
  connectionsPerAddress: number;
  /** Requests a second, from all connections of an address together. */
  unauthenticatedRequestsPerS: number;
}

/**
 * Result for a request: it is served; refused with 503 and Retry-After; ignored, when it follows
 * the refusal too soon; or its connection is closed, when the sender went on regardless.
 */
export type Verdict = "serve" | "refuse" | "ignore" | "cut";

/**
 * Limits connections and requests of each source address, so that one source cannot exhaust the
 * companion. A connection on which a login was authenticated is not limited here: the limits of its
 * account apply.
 */
export interface Admission {
  /** Takes a place for a connection; the result gives it back, undefined is a refusal. */
  connect(host: string): (() => void) | undefined;
  /** Counts a request that belongs to no dialog of ours. */
  judge(flow: Flow): Verdict;
  /** Counts a message before it is read, of a flow whose last one was too much; undefined of others. */
  judgeUnread(flow: Flow): Verdict | undefined;
}

export interface AdmissionOptions {
  bounds?: Partial<AdmissionBounds>;
  /** True when the peer of a flow is authenticated; by default, when a login was proven on it. */
  isKnown?(flow: Flow): boolean;
  now?(): number;
}

export function createAdmission(
  { bounds = {}, isKnown = ({ logins }) => logins.size > 0, now = steadyNow }: AdmissionOptions =
    {},
): Admission {
  const { connectionsPerAddress, unauthenticatedRequestsPerS } = {
    ...sipLimits.admission,
    ...bounds,
  };
  const { burstS, connectionPart, addresses } = sipLimits.admissionPace;
  const takePlace = createAddressPlaces(connectionsPerAddress);
  const ofAddress = {
    burst: unauthenticatedRequestsPerS * burstS,
    perS: unauthenticatedRequestsPerS,
  };
  const ofConnection = {
    burst: Math.ceil(ofAddress.burst * connectionPart),
    perS: ofAddress.perS * connectionPart,
  };
  const perAddress = createPaces(ofAddress, addresses, now);
  const unauthenticated = new WeakMap<Flow, { pace: Pace; refused: boolean }>();

  const admission: Admission = {
    connect(host) {
      const leave = takePlace(host);
      if (ofAddress.perS === 0 || leave === undefined) return leave;
      if (perAddress(networkOf(host)).take() >= 0) return leave;
      leave();
      return undefined;
    },
    judge(flow) {
      if (ofAddress.perS === 0 || isKnown(flow)) return "serve";
      const source = unauthenticated.getOrInsertComputed(
        flow,
        () => ({ pace: createPace(ofConnection, now), refused: false }),
      );
      const left = source.pace.take();
      if (left <= -ofConnection.burst) return "cut";
      const warned = source.refused;
      source.refused = left < 0 || perAddress(networkOf(flow.remote.host)).take() < 0;
      if (!source.refused) return "serve";
      return warned ? "ignore" : "refuse";
    },
    judgeUnread: (flow) => unauthenticated.get(flow)?.refused ? admission.judge(flow) : undefined,
  };
  return admission;
}

/** So many at once, and then so many a second. */
interface Pace {
  /** Takes one and returns how many are left; a negative number, at least minus a burst, is too fast. */
  take(): number;
}

function createPace({ burst, perS }: { burst: number; perS: number }, now: () => number): Pace {
  let left = burst;
  let at = now();
  return {
    take() {
      left = Math.min(left + (now() - at) / 1000 * perS, burst);
      at = now();
      return left = Math.max(left - 1, -burst);
    },
  };
}

/** The paces of the latest so many sources. */
function createPaces(rule: { burst: number; perS: number }, most: number, now: () => number) {
  const paces = new Map<string, Pace>();
  return (source: string): Pace => {
    const pace = paces.get(source) ?? createPace(rule, now);
    paces.delete(source);
    paces.set(source, pace);
    if (paces.size > most) dropOldest(paces, most);
    return pace;
  };
}
