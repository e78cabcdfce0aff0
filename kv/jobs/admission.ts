import { limits } from "../../core/base/limits.ts";

/** How an attempt at a job ended; `neither` says nothing about the server that it asked. */
export type Ending = "good" | "bad" | "neither";

/** Who may begin how many jobs: a lane, a host, an account, and all that wait for servers of others. */
export interface Admission {
  /** Takes room for jobs of a lane, at most `most`; it is given back by `leave` or `end`. */
  enter(lane: string, most: number): number;
  /** Gives room back that no job was found for. */
  leave(lane: string, count: number): void;
  /** A job of the lane has ended at `now`, in ms. */
  end(lane: string, ending: Ending, now: number): void;
  /** Until when the lane's server is left alone, in ms; 0 when it is not. */
  openUntil(lane: string): number;
  /** Whether the next job of the lane tries out a server that was left alone. */
  isProbing(lane: string): boolean;
}

/** How the server behind a lane to a customer's server has answered lately. */
interface Circuit {
  /** Jobs that it may have at once. */
  window: number;
  failures: number;
  /** How long it is left alone next time. */
  openMs: number;
  /** 0: it is not. */
  openUntil: number;
}

/**
 * Bounds the jobs that run at once. A lane named by `customerLane` has a circuit breaker: it begins
 * with few jobs and gets more with every good answer; after failures in a row its server is left
 * alone, then tried out with one job, and left alone for longer when that fails. Its jobs wait where
 * they are. What one instance knows of a server it keeps to itself.
 */
export function admission(): Admission {
  const running = new Map<string, number>();
  const circuits = new Map<string, Circuit>();
  const count = (name: string) => running.get(name) ?? 0;

  function move(lane: string, by: number): void {
    for (const { name } of boundsOf(lane)) {
      const now = count(name) + by;
      if (now > 0) running.set(name, now);
      else running.delete(name);
    }
  }

  /** What is known of a lane's server; the least lately used is forgotten first. */
  function circuitOf(lane: string): Circuit {
    const circuit = circuits.get(lane) ?? { ...unknown };
    circuits.delete(lane);
    circuits.set(lane, circuit);
    for (const oldest of circuits.keys()) {
      if (circuits.size <= limits.knownLanes) break;
      circuits.delete(oldest);
    }
    return circuit;
  }

  function windowOf(lane: string): number {
    if (!isToCustomer(lane)) return Infinity;
    const { openUntil, window } = circuits.get(lane) ?? unknown;
    return openUntil > 0 ? 1 : window;
  }

  return {
    enter(lane, most) {
      const rooms = boundsOf(lane).map(({ name, most }) => most - count(name));
      const room = Math.min(most, windowOf(lane) - count(`lane ${lane}`), ...rooms);
      if (room > 0) move(lane, room);
      return Math.max(0, room);
    },
    leave: (lane, left) => move(lane, -left),
    end(lane, ending, now) {
      move(lane, -1);
      if (!isToCustomer(lane) || ending === "neither") return;
      const circuit = circuitOf(lane);
      if (ending === "good") {
        const window = Math.min(limits.jobsToServer, circuit.window + 1);
        circuits.set(lane, { ...unknown, window });
      } else fail(circuit, now);
    },
    openUntil: (lane) => circuits.get(lane)?.openUntil ?? 0,
    isProbing: (lane) => (circuits.get(lane)?.openUntil ?? 0) > 0,
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

/** Whether a lane waits for a customer's server (`customerLane`). */
const isToCustomer = (lane: string): boolean => lane.includes(" ");

interface Bound {
  name: string;
  most: number;
}

/** The bounds that a job of a lane counts for. */
function boundsOf(lane: string): Bound[] {
  const most = isToCustomer(lane) ? limits.jobsToServer : limits.jobsPerLane;
  const bounds: Bound[] = [{ name: `lane ${lane}`, most }];
  if (!lane.includes(":")) return bounds;
  const pool = lane.slice(0, lane.indexOf(":"));
  bounds.push({ name: `pool ${pool}`, most: limits.jobsOutside });
  if (!isToCustomer(lane)) return bounds;
  const [host = "", account = ""] = lane.slice(pool.length + 1).split(" ");
  bounds.push({ name: `host ${pool}:${host}`, most: limits.jobsPerHost });
  bounds.push({ name: `account ${pool}:${account}`, most: limits.jobsPerAccount });
  return bounds;
}
