import { jobLimits } from "./limits.ts";
import type { StoredJob } from "./queue.ts";
import type { KvKey } from "../store/key_value_store.ts";

/** A job that waits in the store, or is performed. */
export interface KnownJob {
  key: KvKey;
  value: StoredJob;
  versionstamp: string;
  /** In ms. */
  dueAt: number;
  /** Until when a claim of this process holds it, in ms; 0: it is free. */
  takenUntil: number;
}

/** The jobs of a lane in the order of their due times. */
export interface KnownLane {
  jobs: KnownJob[];
  /** Number of claimed jobs among them. */
  taken: number;
  /** True when all jobs of the lane in the store are cached. */
  isWhole: boolean;
}

/** Lanes by name, with the first jobs of each. */
export interface KnownLanes {
  readonly lanes: ReadonlyMap<string, KnownLane>;
  /** The lane of a name, made where there is none. */
  of(name: string): KnownLane;
  /** Adds a job, unless it is cached, or comes after one that is not. */
  add(job: KnownJob): void;
  /** Removes a job by its key; false if it is not cached. */
  remove(key: KvKey): boolean;
  /** Drops the jobs after a key of a lane: jobs that are not cached may be between them. */
  dropAfter(key: KvKey): void;
  /** Forgets a lane that has no jobs. */
  tidy(name: string): void;
}

/** Lane, due time and id in the key of a job (`keys.job`); null for another key. */
export const placeIn = (key: KvKey) =>
  key[0] === "q" && key[1] === "d"
    ? { lane: String(key[2]), dueAt: Number(key[3]), id: String(key[4]) }
    : null;

export function knownLanes(): KnownLanes {
  const lanes = new Map<string, KnownLane>();
  let count = 0;

  function of(name: string): KnownLane {
    const lane = lanes.get(name) ?? { jobs: [], taken: 0, isWhole: true };
    lanes.set(name, lane);
    return lane;
  }

  /** Keeps the unclaimed jobs of a lane within its bound. */
  function bound(lane: KnownLane): void {
    const { known, knownOfLane, knownOfFullLane } = jobLimits;
    const most = count > known ? knownOfFullLane : knownOfLane;
    while (freeOf(lane) > most && lane.jobs.at(-1)?.takenUntil === 0) {
      lane.jobs.pop();
      count--;
      lane.isWhole = false;
    }
  }

  function tidy(name: string): void {
    const lane = lanes.get(name);
    if (lane?.jobs.length === 0 && lane.isWhole) lanes.delete(name);
  }

  return {
    lanes,
    of,
    add(job) {
      const lane = of(job.value.lane);
      const at = placeOf(lane.jobs, job.dueAt, job.value.id);
      if (lane.jobs[at]?.value.id === job.value.id) return;
      if (at === lane.jobs.length && !lane.isWhole) return;
      lane.jobs.splice(at, 0, job);
      count++;
      bound(lane);
    },
    remove(key) {
      const { lane: name = "", dueAt = 0, id } = placeIn(key) ?? {};
      const lane = lanes.get(name);
      const at = placeOf(lane?.jobs ?? [], dueAt, id ?? "");
      if (id === undefined || lane?.jobs[at]?.value.id !== id) return false;
      if (lane.jobs.splice(at, 1)[0]!.takenUntil > 0) lane.taken--; // Its id was compared above.
      count--;
      tidy(name);
      return true;
    },
    dropAfter(key) {
      const { lane: name = "", dueAt = 0, id = "" } = placeIn(key) ?? {};
      const lane = of(name);
      const kept = lane.jobs.filter((job) =>
        job.takenUntil > 0 || job.dueAt < dueAt || job.dueAt === dueAt && job.value.id <= id
      );
      count -= lane.jobs.length - kept.length;
      Object.assign(lane, { jobs: kept, isWhole: false });
    },
    tidy,
  };
}

/** Claims a cached job of a lane until a time in ms. */
export function claimIn(lane: KnownLane, job: KnownJob, until: number): void {
  if (job.takenUntil === 0) lane.taken++;
  job.takenUntil = until;
}

/** Number of cached jobs of a lane that are not claimed. */
export const freeOf = ({ jobs, taken }: KnownLane): number => jobs.length - taken;

/**
 * Time when the first job of a lane may begin, in ms. It is 0, now, when all cached jobs are
 * claimed and the store has further ones: their due times are unknown before they are read.
 */
export function freeAt(lane: KnownLane): number {
  if (!lane.isWhole && freeOf(lane) === 0) return 0;
  let first = Infinity;
  for (const { dueAt, takenUntil } of lane.jobs) {
    first = Math.min(first, Math.max(dueAt, takenUntil));
    if (takenUntil === 0 || dueAt >= first) break;
  }
  return first;
}

/** Position of a job in the order of the others, also if it is not there. */
function placeOf(jobs: KnownJob[], dueAt: number, id: string): number {
  let [low, high] = [0, jobs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const { dueAt: other, value } = jobs[middle]!; // Below the length.
    if (other < dueAt || other === dueAt && value.id < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
