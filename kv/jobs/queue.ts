import { currentOrigin, type Origin } from "../../core/base/origin.ts";
import type { Job } from "../../core/model/job.ts";
import { append, type Batch, emptyBatch } from "../store/batch.ts";
import type { Committer } from "../store/commit.ts";
import type { Committed } from "../store/batch.ts";
import { keys } from "../store/keys.ts";

/** A job in the store. */
export interface StoredJob {
  id: string;
  lane: string;
  kind: string;
  args: unknown;
  /** Attempts begun. */
  attempt: number;
  /** The worker that holds its lease. */
  owner: string | null;
  /** In ms. */
  madeAt: number;
  series: string | null;
  /** What made it; absent where that is unknown. */
  origin?: Origin;
}

/** A leased job, and the entry that proves the lease. */
export interface HeldJob {
  job: StoredJob;
  key: Deno.KvKey;
  versionstamp: string;
}

/** Adds jobs to a batch: its commit makes them, so that no change is made without its jobs. */
export function stageJobs(batch: Batch, jobs: Job[], now: number): void {
  const origin = currentOrigin();
  for (const { id = newJobId(), kind, lane, args, dueAt = now, series = null } of jobs) {
    const begun = { attempt: 0, owner: null, madeAt: now, ...origin && { origin } };
    stageJob(batch, { id, lane, kind, args, series, ...begun }, dueAt);
  }
}

function stageJob(batch: Batch, job: StoredJob, dueAt: number): void {
  batch.sets.push({ key: keys.job(job.lane, dueAt, job.id), value: job });
  batch.due.push({ lane: job.lane, at: dueAt });
}

let made = 0;

/** Unique. Ids of one process sort by creation: jobs due at the same time begin in that order. */
const newJobId = (): string =>
  (made++).toString(36).padStart(6, "0") + crypto.getRandomValues(new Uint8Array(10)).toHex();

/** Which jobs of a lane to claim. */
export interface Claim {
  now: number;
  most: number;
  owner: string;
  leaseMs: number;
  /** Whether a job of the series runs already: the next one must wait for its end. */
  isBusy(job: StoredJob): boolean;
  /** Whether a job is too old to run. Such jobs are claimed beside `most` others, to end them. */
  isSpent?(job: StoredJob): boolean;
}

/** Jobs that a claim reads beyond `most`, as some may wait for others of their series. */
const waitingAtOnce = 50;

/** First jobs of a lane among which a claim looks for spent ones. */
const spentAtOnce = 500;

/** A lane, with the earliest time in ms at which one of its jobs can be due. */
export interface Lane {
  name: string;
  dueAt: number;
  hint: Deno.KvEntry<Deno.KvU64>;
}

/** The store of a queue; `checks`: how many entries one commit can check. */
interface JobStore {
  kv: Deno.Kv;
  committer: Committer;
  checks: number;
}

/**
 * The durable job queue on plain KV: a claim moves a job to the time its lease ends, so the job of
 * a worker that died is due again by itself. It runs on the embedded file and on a remote store.
 */
export function queue(kv: Deno.Kv, committer: Committer, checks: number) {
  const store = { kv, committer, checks };
  return {
    lanes: () => lanesIn(kv),

    /**
     * Claims up to `most` due jobs of a lane for `leaseMs`. `next` is when to look again; `hinted`
     * resolves when the hint of the lane is raised to that time. The jobs need not wait for it.
     */
    claim: (lane: Lane, claim: Claim) => claimIn(store, lane, claim),

    /** Deletes a job that is done, and writes `also` in the same commit. */
    complete: (held: HeldJob, also: Batch) => move(committer, held, (batch) => append(batch, also)),

    /** Extends a lease; null when the lease was lost meanwhile. */
    async renew(held: HeldJob, until: number): Promise<HeldJob | null> {
      const key = keys.job(held.job.lane, until, held.job.id);
      const moved = await move(committer, held, ({ sets }) => sets.push({ key, value: held.job }));
      return moved === null ? null : { job: held.job, key, ...moved };
    },

    /** Ends a lease: the job is due at `dueAt`. Writes `also` in the same commit. */
    retry: (held: HeldJob, dueAt: number, also?: Batch) =>
      move(committer, held, (batch) => {
        stageJob(batch, { ...held.job, owner: null }, dueAt);
        if (also !== undefined) append(batch, also);
      }),

    /** Keeps a job whose attempts are spent as a dead letter; writes `also` in the same commit. */
    bury: (held: HeldJob, error: string, also: Batch) =>
      move(committer, held, (batch) => {
        const { lane, id } = held.job;
        batch.sets.push({ key: keys.deadJob(lane, id), value: { ...held.job, error } });
        append(batch, also);
      }),

    /** Makes every leased job due now: right after start, where no other worker can exist. */
    async releaseAll(now: number): Promise<void> {
      for await (const entry of kv.list<StoredJob>({ prefix: keys.jobs })) {
        if (entry.value.owner === null) continue;
        const held = { job: entry.value, key: entry.key, versionstamp: entry.versionstamp };
        await move(
          committer,
          held,
          (batch) => stageJob(batch, { ...entry.value, owner: null }, now),
        );
      }
    },
  };
}

export type Queue = ReturnType<typeof queue>;

async function lanesIn(kv: Deno.Kv): Promise<Lane[]> {
  const lanes: Lane[] = [];
  for await (const hint of kv.list<Deno.KvU64>({ prefix: keys.lanes }, { batchSize: 200 })) {
    lanes.push({ name: String(hint.key.at(-1)), dueAt: Number(hint.value.value), hint });
  }
  return lanes;
}

/** Jobs that a claim took; `next` and `hinted` as in `claim`. */
interface Claimed {
  held: HeldJob[];
  next: number;
  hinted: Promise<void>;
}

async function claimIn(store: JobStore, lane: Lane, claim: Claim): Promise<Claimed> {
  const { checks } = store;
  const { now, leaseMs } = claim;
  const found = await choose(store.kv, lane, claim);
  const { due } = found;
  let { next } = found;
  const held: HeldJob[] = [];
  for (let i = 0; i < due.length; i += checks) {
    const leased = await lease(store, due.slice(i, i + checks), claim);
    held.push(...leased);
    if (leased.length === 0) next = now; // Another worker claimed some of them first.
  }
  if (held.length > 0) next = Math.min(next, now + leaseMs);
  const hint = Math.min(next, found.waiting);
  // A hint that is too low costs a read, and raising it a commit: only an idle look raises it.
  const isKept = held.length > 0 || hint <= now;
  return { held, next, hinted: isKept ? Promise.resolve() : setHint(store, lane, hint) };
}

/** The due jobs of a lane that may begin, and when the others are due. */
interface Choice {
  due: Deno.KvEntry<StoredJob>[];
  /** Due time of the first job that was not looked at, in ms. */
  next: number;
  /** Due time of the first job that waits for another of its series, in ms. */
  waiting: number;
}

async function choose(
  kv: Deno.Kv,
  { name }: Lane,
  { now, most, isBusy, isSpent }: Claim,
): Promise<Choice> {
  const due: Deno.KvEntry<StoredJob>[] = [];
  const chosen = new Set<string>();
  let [begun, waiting] = [0, Infinity];
  let looksAt = isSpent === undefined ? most + waitingAtOnce : spentAtOnce;
  const batchSize = isSpent === undefined ? most + 1 : spentAtOnce;
  for await (const entry of kv.list<StoredJob>({ prefix: keys.laneJobs(name) }, { batchSize })) {
    const { value: job } = entry;
    const at = Number(entry.key[3]);
    if (at > now || looksAt-- === 0) return { due, next: at, waiting };
    const series = job.series ?? undefined;
    const mustWait = series !== undefined && (chosen.has(series) || isBusy(job));
    if (isSpent?.(job)) due.push(entry);
    else if (mustWait) waiting = Math.min(waiting, at);
    else if (begun === most) {
      if (isSpent === undefined) return { due, next: at, waiting };
      waiting = Math.min(waiting, at);
    } else {
      begun++;
      if (series !== undefined) chosen.add(series);
      due.push(entry);
    }
  }
  return { due, next: Infinity, waiting };
}

/** Leases jobs, all or none: none when another worker changed one of them meanwhile. */
async function lease(
  { committer }: JobStore,
  entries: Deno.KvEntry<StoredJob>[],
  { owner, now, leaseMs }: Claim,
): Promise<HeldJob[]> {
  const batch = emptyBatch();
  const leased = entries.map(({ value }) => {
    const job = { ...value, attempt: value.attempt + 1, owner };
    return { job, key: keys.job(job.lane, now + leaseMs, job.id) };
  });
  for (const entry of entries) {
    batch.checks.push(entry);
    batch.deletes.push(entry.key);
  }
  for (const { key, job } of leased) batch.sets.push({ key, value: job });
  const committed = await committer.commit(batch);
  return committed === null ? [] : leased.map((held) => ({ ...held, ...committed }));
}

/** Raises or deletes a lane's hint, unless a job was added meanwhile. */
async function setHint({ committer }: JobStore, { hint }: Lane, dueAt: number): Promise<void> {
  const batch = emptyBatch();
  batch.checks.push(hint);
  if (dueAt === Infinity) batch.deletes.push(hint.key);
  else batch.sets.push({ key: hint.key, value: new Deno.KvU64(BigInt(Math.floor(dueAt))) });
  await committer.commit(batch);
}

/** Commits one move of a held job; null when its lease was lost. */
async function move(
  committer: Committer,
  held: HeldJob,
  next: (batch: Batch) => void,
): Promise<Committed> {
  const batch = emptyBatch();
  batch.checks.push(held);
  batch.deletes.push(held.key);
  next(batch);
  return await committer.commit(batch);
}
