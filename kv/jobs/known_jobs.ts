import { ShortLivedMap } from "../../core/base/short_lived_map.ts";
import { jobLimits } from "./limits.ts";
import type { Batch } from "../store/batch.ts";
import type { CommitRecord } from "../store/commit_record.ts";
import { keys } from "../store/keys.ts";
import {
  claimIn,
  freeAt,
  freeOf,
  type KnownJob,
  type KnownLanes,
  knownLanes,
  placeIn,
} from "./known_lanes.ts";
import type { StoredJob } from "./queue.ts";
import type {
  AtomicCheck,
  AtomicOperation,
  KeyValueStore,
  KvKey,
} from "../store/key_value_store.ts";

/** The jobs of a store that only this process writes to, as its commits leave them. */
export interface KnownJobs extends CommitRecord {
  /** Notes the jobs that are performed after the commit, with the number of the attempt. */
  stage(op: AtomicOperation, writes: Writes): void;
  made(writes: Writes, versionstamp: string): void;
  doubt(writes: Writes): void;
  /** Returns whether the check of a claimed job holds; undefined for other checks. */
  holds(check: AtomicCheck): boolean | undefined;
  /** Has the next commit note what is taken, even if another one has lately. */
  hurry(): void;
  /** Returns whether a job was claimed of which the store has no note. */
  isBehind(): boolean;
  /**
   * Reads the jobs of the store into the empty cache. True when the last process was killed while
   * it performed some: those attempts count.
   */
  load(): Promise<boolean>;
  /** Claims a job until a time in ms. */
  take(job: KnownJob, until: number): void;
  /** Sets until when the claim of a job holds, in ms. */
  extend(key: KvKey, until: number): void;
  /** The lanes that have jobs, each with the time at which one of them may be free, in ms. */
  lanes(): { name: string; dueAt: number }[];
  /** Forgets a job that the store does not have any more. */
  forget(key: KvKey): void;
  /** The first jobs of a lane, at least `most` that are not claimed where it has as many. */
  first(lane: string, most: number): Promise<readonly KnownJob[]>;
}

type Writes = Pick<Batch, "sets" | "deletes">;

/** The id of a job that is performed, and the number of the attempt. */
type Note = [id: string, attempt: number];

interface State {
  kv: KeyValueStore;
  known: KnownLanes;
  isLoaded: boolean;
  /** The ids that commits have touched since a reading began; undefined while there is none. */
  touched: Set<string> | undefined;
  /** The last reading; they follow each other. */
  loading: Promise<unknown>;
  /** Claimed jobs by id. */
  taken: Map<string, KnownJob>;
  /** The ids in the store's note of what is taken. */
  noted: Set<string>;
  /** Time of that note, in ms of `performance.now`. */
  notedAt: number;
  isStale: boolean;
  isHurried: boolean;
  /** The attempts at jobs that a killed process performed. */
  attempts: Map<string, number>;
}

/**
 * Caches the jobs of a store by its commits, so that claims need no read of it. The first jobs of
 * each lane are cached, up to a bound. The others are read when those are gone.
 */
export function knownJobs(kv: KeyValueStore): KnownJobs {
  const state: State = {
    kv,
    known: knownLanes(),
    isLoaded: false,
    touched: undefined,
    loading: Promise.resolve(),
    taken: new ShortLivedMap(),
    noted: new Set(),
    notedAt: -Infinity,
    isStale: false,
    isHurried: false,
    attempts: new Map(),
  };
  const { known, taken } = state;
  return {
    stage: (op, writes) => stageNote(state, op, writes),
    made: (writes, versionstamp) => follow(state, writes, versionstamp),
    doubt({ sets, deletes }) {
      for (const key of [...sets.map(({ key }) => key), ...deletes]) {
        const lane = placeIn(key)?.lane;
        if (lane === undefined || !state.isLoaded) continue;
        known.of(lane).isWhole = false;
        remove(state, key);
      }
    },
    holds({ key, versionstamp }) {
      const job = key[0] === "q" ? taken.get(String(key.at(-1))) : undefined;
      return job?.key === key ? job.versionstamp === versionstamp : undefined;
    },
    hurry() {
      state.isHurried = true;
    },
    isBehind: () => taken.keys().some((id) => !state.noted.has(id)),
    load: () => load(state),
    take(job, until) {
      claimIn(known.of(job.value.lane), job, until);
      taken.set(job.value.id, job);
      state.isStale = true;
    },
    extend(key, until) {
      const job = taken.get(String(key.at(-1)));
      if (job !== undefined) job.takenUntil = until;
    },
    lanes: () => Array.from(known.lanes, ([name, lane]) => ({ name, dueAt: freeAt(lane) })),
    forget: (key) => remove(state, key),
    async first(name, most) {
      const lane = known.lanes.get(name);
      if (lane === undefined) return [];
      if (!lane.isWhole && freeOf(lane) < most) {
        await reading(state, () => readLane(state, name));
      }
      return lane.jobs;
    },
  };
}

function stageNote(state: State, op: AtomicOperation, { sets, deletes }: Writes): void {
  const isRecent = performance.now() - state.notedAt < jobLimits.noteMs;
  if (!state.isStale || isRecent && !state.isHurried) return;
  state.isStale = false; // A commit that is not made leaves a note that is a little older.
  state.isHurried = false;
  state.notedAt = performance.now();
  const ids = [...sets.map(({ key }) => key), ...deletes].map((key) => placeIn(key)?.id);
  const moved = new Set(ids);
  const notes: Note[] = [];
  for (const [id, { value }] of state.taken) {
    if (!moved.has(id)) notes.push([id, value.attempt + 1]);
  }
  state.noted = new Set(notes.map(([id]) => id));
  op.set(keys.running, notes);
}

function remove(state: State, key: KvKey): void {
  if (!state.known.remove(key)) return;
  const id = String(key.at(-1));
  if (state.taken.delete(id)) state.isStale ||= state.noted.has(id);
}

function add(
  { known, attempts }: State,
  { key, value, versionstamp }: Pick<KnownJob, "key" | "value" | "versionstamp">,
): void {
  const attempt = Math.max(value.attempt, attempts.get(value.id) ?? 0);
  attempts.delete(value.id);
  const counted = attempt === value.attempt ? value : { ...value, attempt };
  known.add({ key, value: counted, versionstamp, dueAt: Number(key[3]), takenUntil: 0 });
}

/** Applies a commit. */
function follow(state: State, { sets, deletes }: Writes, versionstamp: string): void {
  if (!state.isLoaded && state.touched === undefined) return;
  for (const key of deletes) {
    const id = placeIn(key)?.id;
    if (id === undefined) continue;
    state.touched?.add(id);
    remove(state, key);
  }
  for (const { key, value } of sets) {
    const id = placeIn(key)?.id;
    if (id === undefined) continue;
    state.touched?.add(id);
    remove(state, key);
    add(state, { key, value: value as StoredJob, versionstamp }); // As its key says.
  }
}

/** One reading at a time. */
function reading(state: State, work: () => Promise<void>): Promise<void> {
  const done = state.loading.then(work);
  state.loading = done.catch(() => {});
  return done;
}

async function load(state: State): Promise<boolean> {
  let isAfterKill = false;
  await reading(state, async () => {
    if (state.isLoaded) return;
    const { value } = await state.kv.get<Note[]>(keys.running);
    for (const [id, attempt] of value ?? []) state.attempts.set(id, attempt);
    isAfterKill = state.attempts.size > 0;
    await read(state, keys.jobs);
    state.isLoaded = true;
  });
  return isAfterKill;
}

/** Reads the first jobs of a lane of which not all are cached. */
async function readLane(state: State, name: string): Promise<void> {
  const { known } = state;
  const lane = known.of(name);
  if (lane.isWhole) return; // Another reading was first.
  lane.isWhole = true; // Later additions are in order, as the reading begins with the first job.
  const limit = jobLimits.knownOfFullLane + lane.jobs.length;
  try {
    const last = await read(state, keys.laneJobs(name), limit);
    if (last !== null) known.dropAfter(last);
  } catch (error) {
    lane.isWhole = false;
    throw error;
  }
  known.tidy(name);
}

/**
 * Adds the stored jobs below a prefix; jobs that changed meanwhile are newer in the cache. Returns
 * the key at which the limit was reached, or null at the end.
 */
async function read(
  state: State,
  prefix: KvKey,
  limit = Infinity,
): Promise<KvKey | null> {
  let found = 0;
  const touched = state.touched = new Set();
  const options = { ...limit < Infinity && { limit }, batchSize: 500 };
  try {
    for await (const entry of state.kv.list<StoredJob>({ prefix }, options)) {
      if (!touched.has(entry.value.id)) add(state, entry);
      if (++found === limit) return entry.key;
    }
    return null;
  } finally {
    state.touched = undefined;
  }
}
