/**
 * Bounds of jobs that run at once count by tenant: bounds by account multiply by the number of
 * sub-accounts. Each account has a lane of its own for e-mails, look-ups, transcriptions, Usage Triggers
 * and Erasures, and lanes take turns; one lane for all accounts sent 10,000 e-mails of one tenant before
 * the next tenant's. At most 16 jobs of such a kind run at once, 8 of one tenant; 32 requests to one host,
 * 96 in all, count by tenant. A worker reads the tenant of an account once.
 */
import { limits } from "../../core/base/limits.ts";
import { lruCache } from "../cache/lru_cache.ts";
import { jobLimits } from "./limits.ts";

/** Outcome of an attempt at a job; `neither` says nothing about the customer's server. */
export type Ending = "good" | "bad" | "neither";

/** Bounds the jobs that run at once: by lane, host and tenant, and all outside the service. */
export interface Admission {
  /** Admits up to `most` jobs of a lane; returns how many. Each is released by `leave` or `end`. */
  enter(lane: string, most: number): number;
  /** Releases admitted jobs that did not begin. */
  leave(lane: string, count: number): void;
  /** A job of the lane has ended at `now`, in ms. */
  end(lane: string, ending: Ending, now: number): void;
  /** Until when the circuit of the lane's server is open, in ms; 0 when it is closed. */
  openUntil(lane: string): number;
  /** Returns whether the next job of the lane probes a server whose circuit was open. */
  isProbing(lane: string): boolean;
}

/** Circuit breaker of a customer's server, as its last responses left it. */
interface Circuit {
  /** Jobs that may run at once. */
  window: number;
  failures: number;
  /** Duration for which the circuit stays open next time, in ms. */
  openMs: number;
  /** In ms; 0: the circuit is closed. */
  openUntil: number;
}

/**
 * Bounds the jobs that run at once. A lane named by `customerLane` has a circuit breaker. It begins
 * with few jobs at once, and each good response allows one more. Failures in a row open the
 * circuit: no job of the lane begins. Then one job probes the server; when it fails, the circuit
 * opens for longer. The bounds are two jobs at first, five failures, a probe after 5 s, then at
 * least one a minute. One tenant has 96 of 256 requests at most, one host 64, so other accounts at
 * the same host go on. The jobs wait in their lane. Instances do not share the state of a circuit.
 * `tenantOf` gives the tenant of an account's Sid, always the same one.
 */
export function admission(tenantOf: (accountSid: string) => string): Admission {
  const running = new Map<string, number>();
  const circuits = lruCache<Circuit>(limits.knownLanes);
  const count = (name: string) => running.get(name) ?? 0;

  function move(lane: string, by: number): void {
    for (const { name } of boundsOf(lane, tenantOf)) {
      const now = count(name) + by;
      if (now > 0) running.set(name, now);
      else running.delete(name);
    }
  }

  function windowOf(lane: string): number {
    if (!isToCustomer(lane)) return Infinity;
    const { openUntil, window } = circuits.peek(lane) ?? unknown;
    return openUntil > 0 ? 1 : window;
  }

  return {
    enter(lane, most) {
      const free = boundsOf(lane, tenantOf).map(({ name, most }) => most - count(name));
      const admitted = Math.min(most, windowOf(lane) - count(`lane ${lane}`), ...free);
      if (admitted > 0) move(lane, admitted);
      return Math.max(0, admitted);
    },
    leave: (lane, left) => move(lane, -left),
    end(lane, ending, now) {
      move(lane, -1);
      if (!isToCustomer(lane) || ending === "neither") return;
      const circuit = circuits.peek(lane) ?? { ...unknown };
      if (ending === "good") {
        Object.assign(circuit, unknown, {
          window: Math.min(limits.jobsToServer, circuit.window + 1),
        });
      } else fail(circuit, now);
      circuits.keep(lane, circuit, 1);
    },
    openUntil: (lane) => circuits.peek(lane)?.openUntil ?? 0,
    isProbing: (lane) => (circuits.peek(lane)?.openUntil ?? 0) > 0,
  };
}

const unknown: Circuit = {
  window: limits.jobsToUnknownHost,
  failures: 0,
  openMs: limits.circuitOpenMs,
  openUntil: 0,
};

function fail(circuit: Circuit, now: number): void {
  circuit.failures++;
  circuit.window = limits.jobsToUnknownHost;
  if (circuit.failures < limits.circuitFailures || circuit.openUntil > now) return;
  circuit.openUntil = now + circuit.openMs;
  circuit.openMs = Math.min(2 * circuit.openMs, limits.circuitOpenMaxMs);
}

/** Returns whether the jobs of a lane send requests to a customer's server (`customerLane`). */
const isToCustomer = (lane: string): boolean => lane.includes(" ");

/** Jobs of a lane that may run at once. */
function mostOf(lane: string): number {
  if (isToCustomer(lane)) return limits.jobsToServer;
  return lane.startsWith("calls:") ? jobLimits.placingCalls : limits.jobsPerLane;
}

interface Bound {
  name: string;
  most: number;
}

/** Sid of the account that a lane is of; null for one of all accounts. */
export const accountOf = (lane: string): string | null => /[: ](AC[^ :]*)$/.exec(lane)?.[1] ?? null;

/** The bounds that a job of a lane counts for. */
function boundsOf(lane: string, tenantOf: (accountSid: string) => string): Bound[] {
  const bounds: Bound[] = [{ name: `lane ${lane}`, most: mostOf(lane) }];
  if (!lane.includes(":")) return bounds;
  const pool = lane.slice(0, lane.indexOf(":"));
  const mostOfPool = jobLimits.narrowPools[pool];
  bounds.push({ name: `pool ${pool}`, most: mostOfPool ?? limits.jobsOutside });
  const account = accountOf(lane);
  const tenant = account === null ? null : tenantOf(account);
  if (tenant !== null) {
    const most = mostOfPool === undefined ? limits.jobsPerTenant : mostOfPool / 2;
    bounds.push({ name: `tenant ${pool}:${tenant}`, most });
  }
  if (!isToCustomer(lane)) return bounds;
  const [host = ""] = lane.slice(pool.length + 1).split(" ");
  bounds.push({ name: `host ${pool}:${host}`, most: limits.jobsPerHost });
  bounds.push({ name: `server ${pool}:${host} ${tenant}`, most: limits.jobsToServer });
  return bounds;
}
