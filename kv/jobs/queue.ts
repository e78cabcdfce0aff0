/**
 * Jobs. A job is a record, written in the commit that causes it; its lease is its due time. So it is lost
 * with no crash, and runs at least once. The queues of Deno KV were refused: they deliver twice, stall
 * after a crash and do not exist on KV Connect.
 *
 * On an embedded file no other worker can exist: claims are notes in memory (`own_queue.ts`,
 * `known_jobs.ts`), and the start releases the leases that a killed process left. A shared store keeps
 * leases in the store (`shared_queue.ts`).
 */
import { currentOrigin, type Origin } from "../../core/base/origin.ts";
import type { Job } from "../../core/model/job.ts";
import { type Clocks, steadyFrom } from "../../core/base/steady_clock.ts";
import { type Batch, emptyBatch, keyText } from "../store/batch.ts";
import type { Committer } from "../store/commit.ts";
import { keys } from "../store/keys.ts";
import type { KvEntry, KvKey } from "../store/key_value_store.ts";

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
  /** By the wall clock, in ms. */
  madeAt: number;
  /** The same by the monotonic clock, which due times go by; absent in jobs of former versions. */
  since?: number;
  series: string | null;
  /** Due date by the wall clock in ms, if the job is due by that clock. */
  date?: number;
  /** Origin of the job; absent if it is unknown. */
  origin?: Origin;
}

/** A leased job, and the entry that proves the lease. */
export interface HeldJob {
  job: StoredJob;
  key: KvKey;
  versionstamp: string;
}

/**
 * Adds jobs to a batch: its commit creates them, so that no change is made without its jobs. Their
 * due times are spans from now on, by the monotonic clock.
 */
export function stageJobs(batch: Batch, jobs: Job[], clocks: Clocks): void {
  const origin = currentOrigin();
  const [madeAt, since] = [clocks.now(), clocks.steadyNow()];
  for (const { id = newJobId(), kind, lane, args, dueAt, series = null, ...job } of jobs) {
    const begun = { attempt: 0, owner: null, madeAt, since, ...origin && { origin } };
    const byDate = dueAt !== undefined && job.isByDate && { date: dueAt };
    const { steadyDueAt = dueAt === undefined ? since : steadyFrom(dueAt, clocks) } = job;
    stageJob(batch, { id, lane, kind, args, series, ...begun, ...byDate }, steadyDueAt);
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

/** Bounds and filters of a claim in a lane. */
export interface Claim {
  now: number;
  most: number;
  owner: string;
  leaseMs: number;
  /** Returns whether a job of the series is running: the next one must wait for its end. */
  isBusy(job: StoredJob): boolean;
  /** Returns whether this worker performs the job, or has performed it and not written its end yet. */
  isHeld(job: StoredJob): boolean;
  /**
   * Returns whether a job is too old to run. Such jobs are claimed beside `most` others, to end
   * them.
   */
  isSpent?(job: StoredJob): boolean;
}

/** A lane, with the earliest time in ms at which one of its jobs can be due. */
export interface Lane {
  name: string;
  dueAt: number;
}

/** Jobs that a claim took. */
export interface Claimed {
  held: HeldJob[];
  /** Time of the next look, in ms. */
  next: number;
  /** Resolves when the hint of the lane is raised to that time. The jobs need not wait for it. */
  hinted?: Promise<void>;
}

/** The durable queue of jobs, for a worker of this process. */
export interface Queue {
  lanes(): Promise<Lane[]>;
  /** Claims up to `most` due jobs of a lane for `leaseMs`. */
  claim(lane: Lane, claim: Claim): Promise<Claimed>;
  /** Extends a lease; null when the lease was lost meanwhile. */
  renew(held: HeldJob, until: number): Promise<HeldJob | null>;
  /**
   * The lease of a job that a renewal to one of these times has written, whose commit had no answer;
   * null where there is none.
   */
  find(held: HeldJob, untils: readonly number[]): Promise<HeldJob | null>;
  /** The lease of a job was lost: its end could not be committed. */
  lost(held: HeldJob): void;
  /** Jobs begin: makes those due now that a process which was killed held, where no other can hold any. */
  start(now: number): Promise<void>;
}

/** Stages the end of a job that is done. */
export const stageDone = (batch: Batch, held: HeldJob): void => stageMove(batch, held);

/** Stages the end of a lease: the job is due at `dueAt`. */
export function stageRetry(batch: Batch, held: HeldJob, dueAt: number): void {
  const { date: _, ...job } = held.job; // It has begun: its next due time is a span.
  stageMove(batch, held, keys.job(job.lane, dueAt, job.id));
  stageJob(batch, { ...job, owner: null }, dueAt);
}

/** Stages another due time of a job that waits. */
export function stageMoved(
  batch: Batch,
  { key, value, versionstamp }: Pick<KvEntry<StoredJob>, "key" | "value" | "versionstamp">,
  dueAt: number,
): void {
  stageMove(batch, { job: value, key, versionstamp }, keys.job(value.lane, dueAt, value.id));
  stageJob(batch, value, dueAt);
}

/** Stages a job whose attempts are spent as a dead letter. */
export function stageDead(batch: Batch, held: HeldJob, error: string): void {
  const { lane, id } = held.job;
  stageMove(batch, held);
  batch.sets.push({ key: keys.deadJob(lane, id), value: { ...held.job, error } });
}

/** Stages the removal of a held job from its place, unless it stays there. */
export function stageMove(batch: Batch, held: HeldJob, to?: KvKey): void {
  batch.checks.push(held);
  if (to === undefined || keyText(to) !== keyText(held.key)) batch.deletes.push(held.key);
}

/** Ends a lease that a process which was killed has written: its job is due now. */
export async function release(
  committer: Committer,
  { key, value, versionstamp }: Pick<KvEntry<StoredJob>, "key" | "value" | "versionstamp">,
  now: number,
): Promise<void> {
  const batch = emptyBatch();
  stageRetry(batch, { job: value, key, versionstamp }, now);
  await committer.commit(batch);
}

/** Jobs that a claim looks at beyond `most`, as some may wait for others of their series. */
export const waitingAtOnce = 50;

/** First jobs of a lane among which a claim looks for spent ones. */
export const spentAtOnce = 500;

/** An entry of a job, and until when it is claimed, in ms, where that is not written. */
export type Waiting = Pick<KvEntry<StoredJob>, "key" | "value" | "versionstamp"> & {
  takenUntil?: number;
};

/** The due jobs of a lane that may begin, and when the others are due. */
export interface Choice<E extends Waiting> {
  due: E[];
  /** Due time of the first job that was not looked at, in ms. */
  next: number;
  /** Due time of the first job that waits for another of its series, in ms. */
  waiting: number;
}

/**
 * Chooses among the jobs of a lane, which are to be offered in the order of their due times. `offer`
 * is false when no further one need be offered.
 */
export function chooser<E extends Waiting>(
  { now, most, isBusy, isHeld, isSpent }: Claim,
): { offer(entry: E): boolean; choice: Choice<E> } {
  const choice: Choice<E> = { due: [], next: Infinity, waiting: Infinity };
  const chosen = new Set<string>();
  let begun = 0;
  let looksAt = isSpent === undefined ? most + waitingAtOnce : spentAtOnce;
  const leave = (at: number) => {
    choice.waiting = Math.min(choice.waiting, at);
    return true;
  };
  const endAt = (at: number) => {
    choice.next = at;
    return false;
  };
  return {
    choice,
    offer(entry) {
      const { value: job, takenUntil = 0 } = entry;
      if (takenUntil > now) return leave(takenUntil);
      const at = Number(entry.key[3]);
      if (at > now || looksAt-- === 0) return endAt(at);
      if (isHeld(job)) return leave(at);
      if (isSpent?.(job)) return choice.due.push(entry) > 0;
      const series = job.series ?? undefined;
      if (series !== undefined && (chosen.has(series) || isBusy(job))) return leave(at);
      if (begun === most) return isSpent === undefined ? endAt(at) : leave(at);
      begun++;
      if (series !== undefined) chosen.add(series);
      return choice.due.push(entry) > 0;
    },
  };
}
