import { limits } from "../../core/base/limits.ts";
import type { Batch } from "../store/batch.ts";
import type { CommitRecord } from "../store/commit.ts";
import { keys } from "../store/keys.ts";
import type { StoredJob } from "./queue.ts";

/** A job that waits in the store, or is performed. */
export interface KnownJob {
  key: Deno.KvKey;
  value: StoredJob;
  versionstamp: string;
  /** In ms. */
  dueAt: number;
  /** Until when a claim of this process holds it, in ms; 0: it is free. */
  takenUntil: number;
}

/** The jobs of a lane in the order of their due times. */
interface KnownLane {
  jobs: KnownJob[];
  /** Whether the store has no further ones. */
  isWhole: boolean;
}

/** The jobs of a store that only this process writes to, as its commits leave them. */
export interface KnownJobs extends CommitRecord {
  /** Notes the jobs that are performed after the commit, with the number of the attempt. */
  stage(op: Deno.AtomicOperation, writes: Writes): void;
  made(writes: Writes, versionstamp: string): void;
  doubt(writes: Writes): void;
  /**
   * Reads the jobs that the store has. Nothing is known before. True when the last process was killed
   * while it performed some: those attempts count.
   */
  load(): Promise<boolean>;
  /** Claims a job until a time in ms. */
  take(job: KnownJob, until: number): void;
  /** Sets until when the claim of a job holds, in ms. */
  extend(key: Deno.KvKey, until: number): void;
  /** The lanes that have jobs, each with the time at which one of them may be free, in ms. */
  lanes(): { name: string; dueAt: number }[];
  /** Forgets a job that the store does not have any more. */
  forget(key: Deno.KvKey): void;
  /** The first jobs of a lane, at least `most` where it has as many. */
  first(lane: string, most: number): Promise<readonly KnownJob[]>;
}

type Writes = Pick<Batch, "sets" | "deletes">;

/** The id of a job that is performed, and the number of the attempt. */
type Note = [id: string, attempt: number];

/** The parts of a job's key: `keys.job`. */
const partsOf = (key: Deno.KvKey) =>
  key[0] === "q" && key[1] === "d"
    ? { lane: String(key[2]), dueAt: Number(key[3]), id: String(key[4]) }
    : null;

/**
 * Follows the jobs of a store by its commits, so that claims need no read of it. Of each lane the first
 * ones are known, up to a bound; the others are read when those are gone.
 */
export function knownJobs(kv: Deno.Kv): KnownJobs {
  const lanes = new Map<string, KnownLane>();
  let count = 0;
  let isLoaded = false;
  /** The ids that commits have touched since a reading began; undefined while there is none. */
  let touched: Set<string> | undefined;
  let loading: Promise<unknown> = Promise.resolve();
  const taken = new Map<string, KnownJob>();
  /** The ids in the store's note of what is taken, and whether it is out of date. */
  let noted = new Set<string>();
  let isStale = false;
  /** The attempts at jobs that a killed process performed. */
  const attempts = new Map<string, number>();

  function laneOf(name: string): KnownLane {
    const lane = lanes.get(name) ?? { jobs: [], isWhole: true };
    lanes.set(name, lane);
    return lane;
  }

  function remove(key: Deno.KvKey): void {
    const { lane: name, dueAt, id } = partsOf(key)!; // Of a job.
    const lane = lanes.get(name);
    if (lane === undefined) return;
    const at = placeOf(lane.jobs, dueAt, id);
    if (lane.jobs[at]?.value.id !== id) return;
    lane.jobs.splice(at, 1);
    count--;
    if (taken.delete(id)) isStale ||= noted.has(id);
    if (lane.jobs.length === 0 && lane.isWhole) lanes.delete(name);
  }

  function add({ key, value, versionstamp }: Pick<KnownJob, "key" | "value" | "versionstamp">) {
    const { lane: name, dueAt, id } = partsOf(key)!; // Of a job.
    const lane = laneOf(name);
    const at = placeOf(lane.jobs, dueAt, id);
    if (lane.jobs[at]?.value.id === id) return;
    if (at === lane.jobs.length && !lane.isWhole) return; // One before it may not be known.
    const attempt = Math.max(value.attempt, attempts.get(id) ?? 0);
    attempts.delete(id);
    const known = attempt === value.attempt ? value : { ...value, attempt };
    lane.jobs.splice(at, 0, { key, value: known, versionstamp, dueAt, takenUntil: 0 });
    count++;
    const { knownJobs, knownJobsOfLane, knownJobsOfFullLane } = limits;
    const most = count > knownJobs ? knownJobsOfFullLane : knownJobsOfLane;
    while (lane.jobs.length > most && lane.jobs.at(-1)!.takenUntil === 0) {
      lane.jobs.pop();
      count--;
      lane.isWhole = false;
    }
  }

  /**
   * Adds what the store has below a prefix; what was touched meanwhile is known better already. The
   * key at which the limit was reached; null where there are no more.
   */
  async function read(prefix: Deno.KvKey, limit = Infinity): Promise<Deno.KvKey | null> {
    let found = 0;
    const ids = touched = new Set();
    const options = { ...limit < Infinity && { limit }, batchSize: 500 };
    try {
      for await (const entry of kv.list<StoredJob>({ prefix }, options)) {
        if (!ids.has(entry.value.id)) add(entry);
        if (++found === limit) return entry.key;
      }
      return null;
    } finally {
      touched = undefined;
    }
  }

  /** One reading at a time. */
  function reading(work: () => Promise<void>): Promise<void> {
    const done = loading.then(work);
    loading = done.catch(() => {});
    return done;
  }

  async function readLane(name: string): Promise<void> {
    const lane = laneOf(name);
    if (lane.isWhole) return; // Another reading was first.
    lane.isWhole = true; // What is added now is in order, as the reading begins with the first one.
    const limit = limits.knownJobsOfFullLane + lane.jobs.length;
    try {
      const last = await read(keys.laneJobs(name), limit);
      if (last !== null) dropAfter(lane, last);
    } catch (error) {
      lane.isWhole = false;
      throw error;
    }
    if (lane.jobs.length === 0 && lane.isWhole) lanes.delete(name);
  }

  /** Forgets what waits behind a job: between them may be others, which are not known. */
  function dropAfter(lane: KnownLane, key: Deno.KvKey): void {
    const { dueAt, id } = partsOf(key)!; // Of a job.
    const kept = lane.jobs.filter((job) =>
      job.takenUntil > 0 || job.dueAt < dueAt || job.dueAt === dueAt && job.value.id <= id
    );
    count -= lane.jobs.length - kept.length;
    Object.assign(lane, { jobs: kept, isWhole: false });
  }

  return {
    made({ sets, deletes }, versionstamp) {
      for (const key of deletes) {
        const parts = isLoaded || touched !== undefined ? partsOf(key) : null;
        if (parts === null) continue;
        touched?.add(parts.id);
        remove(key);
      }
      for (const { key, value } of sets) {
        const parts = isLoaded || touched !== undefined ? partsOf(key) : null;
        if (parts === null) continue;
        touched?.add(parts.id);
        remove(key);
        add({ key, value: value as StoredJob, versionstamp });
      }
    },
    doubt({ sets, deletes }) {
      for (const key of [...sets.map(({ key }) => key), ...deletes]) {
        const lane = partsOf(key)?.lane;
        if (lane === undefined || !isLoaded) continue;
        laneOf(lane).isWhole = false;
        remove(key);
      }
    },
    forget: remove,
    stage(op, { sets, deletes }) {
      if (!isStale) return;
      isStale = false; // A commit that is not made leaves a note that is a little older.
      const moved = new Set(
        [...sets.map(({ key }) => key), ...deletes].map((key) => partsOf(key)?.id),
      );
      const notes: Note[] = [];
      for (const [id, { value }] of taken) if (!moved.has(id)) notes.push([id, value.attempt + 1]);
      noted = new Set(notes.map(([id]) => id));
      op.set(keys.running, notes);
    },
    take(job, until) {
      job.takenUntil = until;
      taken.set(job.value.id, job);
      isStale = true;
    },
    extend(key, until) {
      const job = taken.get(String(key.at(-1)));
      if (job !== undefined) job.takenUntil = until;
    },
    async load() {
      let isAfterKill = false;
      await reading(async () => {
        if (isLoaded) return;
        const { value } = await kv.get<Note[]>(keys.running);
        for (const [id, attempt] of value ?? []) attempts.set(id, attempt);
        isAfterKill = attempts.size > 0;
        await read(keys.jobs);
        isLoaded = true;
      });
      return isAfterKill;
    },
    lanes: () =>
      Array.from(lanes, ([name, { jobs, isWhole }]) => ({
        name,
        dueAt: isWhole || jobs.length > 0 ? freeAt(jobs) : 0,
      })),
    async first(name, most) {
      const lane = lanes.get(name);
      if (lane === undefined) return [];
      if (!lane.isWhole && lane.jobs.length < most) await reading(() => readLane(name));
      return lane.jobs;
    },
  };
}

/** When the first job that is free, or will be, may begin. */
function freeAt(jobs: KnownJob[]): number {
  let first = Infinity;
  for (const { dueAt, takenUntil } of jobs) {
    first = Math.min(first, Math.max(dueAt, takenUntil));
    if (takenUntil === 0 || dueAt >= first) break;
  }
  return first;
}

/** Where a job stands, or would stand, among others. */
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
