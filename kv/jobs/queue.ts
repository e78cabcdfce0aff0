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
}

/** A job and the entry that proves who holds it. */
export interface HeldJob {
  job: StoredJob;
  key: Deno.KvKey;
  versionstamp: string;
}

/** Adds jobs to a batch: they are due when the change they belong to is committed. */
export function stageJobs(batch: Batch, jobs: Job[], now: number): void {
  for (const { id = newJobId(), kind, lane, args, dueAt = now, series = null } of jobs) {
    stageJob(batch, { id, lane, kind, args, attempt: 0, owner: null, madeAt: now, series }, dueAt);
  }
}

function stageJob(batch: Batch, job: StoredJob, dueAt: number): void {
  batch.sets.push({ key: keys.job(job.lane, dueAt, job.id), value: job });
  batch.due.push({ lane: job.lane, at: dueAt });
}

let made = 0;

/** Unique, and in the order of making within one process: jobs due at one time begin in it. */
const newJobId = (): string =>
  (made++).toString(36).padStart(6, "0") + crypto.getRandomValues(new Uint8Array(10)).toHex();

/** Which jobs of a lane to claim. */
export interface Claim {
  now: number;
  most: number;
  owner: string;
  leaseMs: number;
  /** Whether one of a series must wait, as another of it runs. */
  isBusy(job: StoredJob): boolean;
  /** Beside the others: those of the first jobs of the lane that are spent by their age. */
  isSpent?(job: StoredJob): boolean;
}

/** Jobs that wait for others of their series and are passed over to reach the rest of a lane. */
const waitingAtOnce = 50;

/** Jobs of a lane that are looked at for those that are spent. */
const spentAtOnce = 500;

/** A lane with the earliest time at which one of its jobs can be due. */
export interface Lane {
  name: string;
  dueAt: number;
  hint: Deno.KvEntry<Deno.KvU64>;
}

/**
 * The durable job queue on plain KV: a claim moves a job to the time its lease ends, so the job of
 * a worker that died is due again by itself. It runs on the embedded file and on a remote store.
 */
export function queue(kv: Deno.Kv, committer: Committer, checks: number) {
  /** Commits one move of a held job; null when its lease was lost. */
  async function move(held: HeldJob, next: (batch: Batch) => void): Promise<Committed> {
    const batch = emptyBatch();
    batch.checks.push(held);
    batch.deletes.push(held.key);
    next(batch);
    return await committer.commit(batch);
  }

  /** Lowers or deletes a lane's hint, unless an enqueue came in between. */
  async function setHint({ hint }: Lane, dueAt: number): Promise<void> {
    const batch = emptyBatch();
    batch.checks.push(hint);
    if (dueAt === Infinity) batch.deletes.push(hint.key);
    else batch.sets.push({ key: hint.key, value: new Deno.KvU64(BigInt(Math.floor(dueAt))) });
    await committer.commit(batch);
  }

  async function take(
    entries: Deno.KvEntry<StoredJob>[],
    owner: string,
    until: number,
  ): Promise<HeldJob[]> {
    const batch = emptyBatch();
    const taken = entries.map(({ value }) => {
      const job = { ...value, attempt: value.attempt + 1, owner };
      return { job, key: keys.job(job.lane, until, job.id) };
    });
    for (const entry of entries) {
      batch.checks.push(entry);
      batch.deletes.push(entry.key);
    }
    for (const { key, job } of taken) batch.sets.push({ key, value: job });
    const committed = await committer.commit(batch);
    return committed === null ? [] : taken.map((held) => ({ ...held, ...committed }));
  }

  /**
   * The due jobs of a lane that may begin, the due time of the first of the others, and that of the
   * first that waits for one of its series.
   */
  async function choose({ name }: Lane, { now, most, isBusy, isSpent }: Claim) {
    const due: Deno.KvEntry<StoredJob>[] = [];
    const chosen = new Set<string>();
    let [begun, waiting] = [0, Infinity];
    let looksAt = isSpent === undefined ? most + waitingAtOnce : spentAtOnce;
    const selector = { prefix: keys.laneJobs(name) };
    for await (
      const entry of kv.list<StoredJob>(selector, { batchSize: isSpent ? 500 : most + 1 })
    ) {
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

  return {
    async lanes(): Promise<Lane[]> {
      const lanes: Lane[] = [];
      for await (const hint of kv.list<Deno.KvU64>({ prefix: keys.lanes }, { batchSize: 200 })) {
        lanes.push({ name: String(hint.key.at(-1)), dueAt: Number(hint.value.value), hint });
      }
      return lanes;
    },

    /**
     * Claims up to `most` due jobs of a lane for `leaseMs`. `next` is when to look again; `hinted`
     * resolves when the lane says so too, which the jobs need not wait for.
     */
    async claim(
      lane: Lane,
      claim: Claim,
    ): Promise<{ held: HeldJob[]; next: number; hinted: Promise<void> }> {
      const { now, owner, leaseMs } = claim;
      const found = await choose(lane, claim);
      const { due } = found;
      let { next } = found;
      const held: HeldJob[] = [];
      for (let i = 0; i < due.length; i += checks) {
        const part = due.slice(i, i + checks);
        const taken = await take(part, owner, now + leaseMs);
        held.push(...taken);
        if (taken.length === 0) next = now; // Another worker was faster with some of them.
      }
      if (held.length > 0) next = Math.min(next, now + leaseMs);
      const hint = Math.min(next, found.waiting);
      // A low hint costs a look, a commit more: it is raised when a look finds nothing.
      const isKept = held.length > 0 || hint <= now;
      return { held, next, hinted: isKept ? Promise.resolve() : setHint(lane, hint) };
    },

    /** Done: the job is gone, and `also` is written with that. */
    complete: (held: HeldJob, also: Batch) => move(held, (batch) => append(batch, also)),

    /** Holds on to a job for longer; null when the lease was lost meanwhile. */
    async renew(held: HeldJob, until: number): Promise<HeldJob | null> {
      const key = keys.job(held.job.lane, until, held.job.id);
      const moved = await move(held, ({ sets }) => sets.push({ key, value: held.job }));
      return moved === null ? null : { job: held.job, key, ...moved };
    },

    /** Gives a job back, due at `dueAt`; `also` is written with that. */
    retry: (held: HeldJob, dueAt: number, also?: Batch) =>
      move(held, (batch) => {
        stageJob(batch, { ...held.job, owner: null }, dueAt);
        if (also !== undefined) append(batch, also);
      }),

    /** Its attempts are spent: keeps it as a dead letter, with what else that writes. */
    bury: (held: HeldJob, error: string, also: Batch) =>
      move(held, (batch) => {
        const { lane, id } = held.job;
        batch.sets.push({ key: keys.deadJob(lane, id), value: { ...held.job, error } });
        append(batch, also);
      }),

    /** Makes every leased job due now: right after start, where no other worker can exist. */
    async releaseAll(now: number): Promise<void> {
      for await (const entry of kv.list<StoredJob>({ prefix: keys.jobs })) {
        if (entry.value.owner === null) continue;
        const held = { job: entry.value, key: entry.key, versionstamp: entry.versionstamp };
        await move(held, (batch) => stageJob(batch, { ...entry.value, owner: null }, now));
      }
    },
  };
}

export type Queue = ReturnType<typeof queue>;
