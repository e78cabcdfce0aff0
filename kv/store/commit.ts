/**
 * Commits. Writers that wait together share one commit, and so one flush of the disk, which bounds the rate
 * of writes. Two writers that check the same key never share one.
 *
 * On an embedded file, whose one writer is this process, a change with a check that is known to fail is
 * refused before the commit, and its caller repeats it on the present record. Else one stale change (a
 * report that meets the end of the job that placed the call: one call in fifty) would refuse the forty
 * changes that share its commit, each of which is then tried alone. Halving a refused commit was refused:
 * 11 commits where one of forty is stale. With the check a call takes 0.15 commits in place of 0.31.
 *
 * On a shared store eight commits are under way at once: its client sends a commit in two parts, and the
 * system holds the second back until the first is acknowledged, 40 ms later, so one at a time made 21 a
 * second (855 now). A batch waits for a commit under way that checks one of its keys, and for batches
 * before it that do. Larger groups were refused: they do not shorten the wait.
 *
 * The end of a job, and records that nobody waits for, go with the next commit, 50 ms at most (`later`). A
 * process that is killed repeats the jobs that ended within that time. An answered call makes 6 commits at
 * most (`tests/flows/call_cost_test.ts`).
 */
import { Fault } from "../../core/base/faults.ts";
import { type Batch, type Committed, isCurrent, merged } from "./batch.ts";
import { type DepthIn, type Moved, movedBy } from "./counters.ts";
import { type CommitRecord, holds } from "./commit_record.ts";
import { commitRetrying, jitter } from "./commit_retrying.ts";
import { checkedBy, type Staged, takeGroup, takenBy } from "./commit_group.ts";
import { type Delayed, type DelayedBatches, delayedBatches } from "./delayed_batches.ts";
import {
  type KnownNumbers,
  learnNumbers,
  noNumbers,
  operation,
  stageVersions,
} from "./operation.ts";
import type { Receipt } from "./receipt.ts";
import { committing, type StoreHealth } from "./store_health.ts";
import type { AtomicCheck, AtomicOperation, KeyValueStore } from "./key_value_store.ts";

export interface Committer {
  /**
   * Commits a batch. Batches that wait at the same time share one commit and one disk flush: disk
   * flushes bound the writes of a store. Throws `StoreFault` when the store cannot write; within
   * `patiently` it waits until the store can.
   */
  commit(batch: Batch): Promise<Committed>;
  /**
   * Commits a batch together with the next commit, or 50 ms after this call. `stage` makes the batch
   * when that commit begins; the promise rejects with what it throws.
   */
  later(stage: () => Promise<Batch>): Promise<Committed>;
  /** Begins the commit of what `later` was called for. */
  flush(): void;
  /** The store is closed: rejects what `later` was or will be called for. */
  close(): void;
  /** Called after a commit that made a job due. */
  onJobs: () => void;
}

interface Waiting extends Staged {
  resolve(committed: Committed): void;
  reject(error: unknown): void;
  /** Present when the batch was staged for this commit alone. */
  delayed?: Delayed;
}

/** A cache that observes each commit, one at a time, before it begins and after it ended. */
export interface CommitWatch {
  began(writes: Pick<Batch, "sets" | "deletes">): Promise<void> | void;
  /** Null when the commit was not made, or when it is unknown whether it was. */
  ended(committed: Committed): void;
}

/** Depths to which the values of a batch are counted. */
export interface CommitDepths {
  depthIn: DepthIn;
  /** Reads the missing depths of the windows of a batch; null when none is missing. */
  load(batch: Batch): Promise<void> | null;
  /** Called after a commit that was made. */
  made(batch: Batch, moved: Moved[]): void;
  /** It is unknown whether this commit was made. */
  doubt(batch: Batch): void;
}

const sameDepths: CommitDepths = { depthIn: () => 0, load: () => null, made() {}, doubt() {} };

/** Refuses commits after another process changed the layout of the store. */
export interface Fence {
  /** Adds the check of the layout that this process uses; the result is for `refresh`. */
  stage(op: AtomicOperation): AtomicCheck;
  /**
   * Adopts a change; true when the layout is not the staged one any more. Throws `unavailable` when
   * this program cannot keep it.
   */
  refresh(staged: AtomicCheck): Promise<boolean>;
}

/** Counts what batches take of the limits of accounts. */
export interface CommitLimits {
  /**
   * Takes in the order of the batches. Those that a limit refuses are named with the reason.
   * `counted` writes what the others have taken, under the check that no other process took
   * meanwhile.
   */
  take(batches: Batch[]): Promise<{ refused: Map<Batch, Fault>; counted: Batch }>;
  /** Returns whether another process took meanwhile. */
  isOvertaken(counted: Batch): Promise<boolean>;
}

/** `checks`: 100 on the embedded file, 10 on a remote store. */
export interface CommitterOptions {
  checks: number;
  /**
   * The writers of a store whose client repeats a commit when its response is lost: so many commits
   * are under way at once. Without them one is.
   */
  receipts?: Receipt[];
  /** Sets the versions of the lists that a commit writes to (`keys.listVersion`). */
  versions?: boolean;
  /** Of a store whose layout other processes may change. */
  fence?: Fence;
  /** Followers of the commits, of a store that only this process writes to. */
  followers?: CommitRecord[];
  /** Absent: all values are counted as deep as their index is everywhere. */
  depths?: CommitDepths;
  /** Absent: no account has limits. */
  limits?: CommitLimits;
  /** Caches of lists. */
  lists?: CommitWatch[];
  /** Absent: errors of the store are thrown as they come, and no commit waits. */
  health?: StoreHealth;
  /** Called after each commit with its outcome and its duration in ms. */
  onCommit?(outcome: CommitOutcome, durationMs: number): void;
}

/** `refused`: the store made a check of it, which failed. */
export type CommitOutcome = "made" | "refused" | "failed";

/** Makes one commit at a time. */
interface Writer {
  receipt?: Receipt;
}

/** A committer and the batches that wait for it. */
interface State extends CommitterOptions {
  kv: KeyValueStore;
  depths: CommitDepths;
  depthIn: DepthIn;
  committer: Committer;
  queue: Waiting[];
  /** The writers that have nothing to do. */
  idle: Writer[];
  /** The keys that commits under way check, where there may be several. */
  checked: Set<string>;
  /** The queue is about to be looked at. */
  isPumping: boolean;
  delayed: DelayedBatches;
  /** Null for a store that other processes write to. */
  known: KnownNumbers | null;
}

/** The committer of a store. All writes of records and jobs go through it. */
export function committer(kv: KeyValueStore, options: CommitterOptions): Committer {
  const self: Committer = {
    onJobs: () => {},
    commit: (batch) => committing(health, () => commitOnce(batch)),
    later: (stage) =>
      committing(health, () =>
        new Promise((resolve, reject) => {
          state.delayed.add({ stage, resolve, reject });
        })),
    flush: () => state.delayed.flush(),
    close: () => state.delayed.close(),
  };
  const { depths = sameDepths, health } = options;
  const commitOnce = (batch: Batch): Promise<Committed> =>
    new Promise((resolve, reject) => {
      const queue = () => {
        state.queue.push({ batch, resolve, reject });
        if (!state.isPumping) void pump(state);
      };
      const loading = depths.load(batch); // The size of a commit depends on it.
      if (loading === null) queue();
      else loading.then(queue, reject);
    });
  const state: State = {
    ...options,
    kv,
    depths,
    depthIn: depths.depthIn,
    committer: self,
    queue: [],
    idle: options.receipts?.map((receipt) => ({ receipt })) ?? [{}],
    checked: new Set(),
    isPumping: false,
    delayed: delayedBatches(() => {
      if (!state.isPumping) void pump(state);
    }),
    known: options.followers === undefined ? null : noNumbers(),
  };
  return self;
}

async function pump(state: State): Promise<void> {
  state.isPumping = true;
  await null; // Batches of one turn share a commit; later ones wait for a writer.
  if (state.idle.length > 0) await stageDelayed(state);
  state.isPumping = false;
  while (state.idle.length > 0) {
    state.queue = state.queue.filter((waiting) => !refuseStale(state, waiting));
    const group = takeGroup(state.queue, { ...state, isMade: (check) => isMade(state, check) });
    if (group.length === 0) break;
    void write(state, state.idle.pop()!, group); // One is idle.
  }
  // Batches staged for this commit that did not fit are staged anew for the next one.
  const left = state.queue.flatMap(({ delayed }) => delayed ?? []);
  if (left.length === 0) return;
  state.queue = state.queue.filter(({ delayed }) => delayed === undefined);
  state.delayed.add(...left);
}

/** Stages what is delayed if there is something to commit it with, or it has waited long enough. */
async function stageDelayed(state: State): Promise<void> {
  for (const one of await state.delayed.stage(state.queue.length > 0)) {
    try {
      const loading = state.depths.load(one.batch); // The size of a commit depends on it.
      if (loading !== null) await loading;
      state.queue.push({ ...one, delayed: one });
    } catch (error) {
      one.reject(error);
    }
  }
}

/** Has a writer commit a group; then it takes what has come meanwhile. */
async function write(state: State, writer: Writer, group: Waiting[]): Promise<void> {
  const names = state.receipts === undefined
    ? []
    : group.flatMap(({ batch }) => [...checkedBy(batch), ...takenBy(batch)]);
  names.forEach((name) => state.checked.add(name));
  await commitGroup(state, writer, group);
  names.forEach((name) => state.checked.delete(name));
  state.idle.push(writer);
  if ((state.queue.length > 0 || state.delayed.isDue) && !state.isPumping) await pump(state);
}

/**
 * Refuses a batch with a stale check before the commit, which would fail for all batches that share
 * it.
 */
function refuseStale(state: State, { batch, resolve }: Waiting): boolean {
  const isStale = batch.checks.some((check) => holds(state.followers, check) === false);
  if (isStale) resolve(null);
  return isStale;
}

/** Returns whether the store has to make a check: this process cannot prove that it holds. */
const isMade = ({ followers }: State, check: Batch["checks"][number]): boolean =>
  holds(followers, check) !== true;

/** One commit for the group; when it fails, each member is tried alone. */
async function commitGroup(state: State, writer: Writer, group: Waiting[]): Promise<void> {
  if (state.limits !== undefined && group.some(({ batch }) => batch.takings.size > 0)) {
    return await commitLimited(state, writer, { group, limits: state.limits });
  }
  try {
    const committed = await attempt(state, writer, group.map(({ batch }) => batch));
    if (committed !== null || group.length === 1) {
      return group.forEach(({ resolve }) => resolve(committed));
    }
  } catch (error) {
    // The store did not respond: it would not respond to each of them either, nor to the next ones.
    if (error instanceof Fault) group.push(...state.queue.splice(0));
    if (error instanceof Fault || group.length === 1) {
      return group.forEach(({ reject }) => reject(error));
    }
  }
  for (const { batch, resolve, reject } of group) {
    await attempt(state, writer, [batch]).then(resolve, reject);
  }
}

/** Most attempts at a commit while another service takes from the same limits. */
const mostCounts = 100;

/**
 * The same for a group of which some take from limits. Those that a limit refuses are rejected, and
 * the others are committed with what they have taken. Another service may take from the same limits
 * meanwhile: then all is counted again.
 */
async function commitLimited(
  state: State,
  writer: Writer,
  { group, limits }: { group: Waiting[]; limits: CommitLimits },
): Promise<void> {
  let left = group;
  try {
    for (let times = 1; times <= mostCounts; times++) {
      const { refused, counted } = await limits.take(left.map(({ batch }) => batch));
      for (const { batch, reject } of left) {
        const fault = refused.get(batch);
        if (fault !== undefined) reject(fault);
      }
      left = left.filter(({ batch }) => !refused.has(batch));
      if (left.length === 0) return;
      const committed = await attempt(state, writer, [...left.map(({ batch }) => batch), counted]);
      if (committed !== null) return left.forEach(({ resolve }) => resolve(committed));
      if (!await limits.isOvertaken(counted)) {
        if (left.length === 1) return left.forEach(({ resolve }) => resolve(null));
        break;
      }
      await jitter(Math.min(times * 5, 50));
    }
  } catch (error) {
    if (error instanceof Fault) left.push(...state.queue.splice(0));
    if (error instanceof Fault || left.length === 1) {
      return left.forEach(({ reject }) => reject(error));
    }
  }
  if (left.length === 1) {
    const detail = "too many requests count by the same limits at the same time; retry";
    return left.forEach(({ reject }) => reject(new Fault("unavailable", detail)));
  }
  for (const one of left) await commitGroup(state, writer, [one]);
}

async function attempt(state: State, writer: Writer, batches: Batch[]): Promise<Committed> {
  if (!batches.every(isCurrent)) return null;
  // Checks proven now hold until the commit is made: no other one is under way.
  const all = merged(batches);
  const checks = all.checks.filter((check) => isMade(state, check));
  const committed = await make(state, writer, all, checks);
  if (committed !== null && batches.some(({ due }) => due.length > 0)) state.committer.onJobs();
  return committed;
}

/**
 * Makes a commit; the store makes these checks of it. The caches learn of it before its caller does.
 */
async function make(
  state: State,
  writer: Writer,
  batch: Batch,
  checks: Batch["checks"],
): Promise<Committed> {
  const { depths, fence, known, health, followers = [], lists = [] } = state;
  const { receipt } = writer;
  let staged: AtomicCheck | undefined;
  let moved: Moved[] = [];
  for (const one of lists) await one.began(batch);
  let committed: Committed = null;
  let outcome: CommitOutcome = "failed";
  const startedAt = performance.now();
  try {
    const result = await commitRetrying(async () => {
      // Depths stay valid while the fence holds, so nothing may come between both.
      for (let more = depths.load(batch); more !== null; more = depths.load(batch)) await more;
      moved = movedBy(batch.counts, depths.depthIn);
      const op = operation(state.kv, { ...batch, checks }, { moved, known });
      for (const one of followers) one.stage?.(op, batch);
      if (state.versions) stageVersions(op, batch);
      receipt?.stage(op);
      staged = fence?.stage(op);
      return await op.commit();
    }, health);
    committed = result.ok ? result : await receipt?.find() ?? null;
    outcome = committed === null ? "refused" : "made";
    const isRefused = committed === null && staged && await fence?.refresh(staged) === true;
    if (isRefused && isCurrent(batch)) return await make(state, writer, batch, checks);
    if (committed !== null) {
      for (const one of followers) one.made({ ...batch, moved }, committed.versionstamp);
      depths.made(batch, moved);
      if (known !== null) learnNumbers(known, batch);
    }
    return committed;
  } catch (error) {
    for (const one of followers) one.doubt({ ...batch, moved });
    depths.doubt(batch);
    throw error;
  } finally {
    state.onCommit?.(outcome, performance.now() - startedAt);
    for (const one of lists) one.ended(committed);
  }
}
