import { Fault } from "../../core/base/faults.ts";
import { type Batch, type Committed, isCurrent, merged } from "./batch.ts";
import { type DepthIn, type Moved, movedBy } from "./counters.ts";
import { checkedBy, type Staged, takeGroup } from "./commit_group.ts";
import { operation, stageVersions } from "./operation.ts";
import type { Receipt } from "./receipt.ts";

export interface Committer {
  /**
   * Commits a batch. Batches that wait at the same time share one commit and one disk flush: disk
   * flushes bound the writes of a store. Throws when the store is out of reach.
   */
  commit(batch: Batch): Promise<Committed>;
  /** Called after a commit that made a job due, and at each wake-up by KV's own queue. */
  onJobs: () => void;
  /** Uses KV's own queue, where there is one, as a further wake-up. */
  listen(): void;
}

interface Waiting extends Staged {
  resolve(committed: Committed): void;
  reject(error: unknown): void;
}

/** A cache that observes each commit, one at a time, before it begins and after it ended. */
export interface CommitWatch {
  began(writes: Pick<Batch, "sets" | "deletes">): Promise<void> | void;
  /** Null when the commit was not made, or when it is unknown whether it was. */
  ended(committed: Committed): void;
}

/** The counters that a commit moves or deletes. */
export interface CounterWrites extends Pick<Batch, "deletes"> {
  moved: Moved[];
}

/** A cache that follows the commits that were made, in their order. */
export interface CommitRecord {
  made(writes: CounterWrites, versionstamp: string): void;
  /** It is unknown whether this commit was made. */
  doubt(writes: CounterWrites): void;
}

/** How deep the values that a batch moves are counted. */
export interface CommitDepths {
  depthIn: DepthIn;
  /** Reads what is not known yet of the windows of a batch; null when all is known. */
  load(batch: Batch): Promise<void> | null;
  /** To be told of a commit that was made, or may have been. */
  made(batch: Batch, moved: Moved[]): void;
}

const sameDepths: CommitDepths = { depthIn: () => 0, load: () => null, made: () => {} };

/** Refuses commits after another process changed the layout of the store. */
export interface Fence {
  /** Adds the check of the layout as it is known here; the result is for `refresh`. */
  stage(op: Deno.AtomicOperation): Deno.AtomicCheck;
  /**
   * Adopts a change; true when the layout is not the staged one any more. Throws `unavailable` when
   * this program cannot keep it.
   */
  refresh(staged: Deno.AtomicCheck): Promise<boolean>;
}

/** `checks`: 100 on the embedded file, 10 on a remote store. `doorbell`: KV has its own queue. */
export interface CommitterOptions {
  checks: number;
  doorbell: boolean;
  /**
   * The writers of a store whose client repeats a commit when its response is lost: so many commits
   * are under way at once. Without them one is.
   */
  receipts?: Receipt[];
  /** Whether commits set the versions of the lists that they write to (`keys.listVersion`). */
  versions?: boolean;
  /** Of a store whose layout other processes may change. */
  fence?: Fence;
  /** Of a store that only this process writes to. */
  counters?: CommitRecord;
  /** Absent: all values are counted as deep as their index is everywhere. */
  depths?: CommitDepths;
  /** Caches of lists. */
  lists?: CommitWatch[];
  /** Told what became of each commit, and how long it took, in ms. */
  onCommit?(outcome: CommitOutcome, durationMs: number): void;
}

/** `refused`: a check of it failed. */
export type CommitOutcome = "made" | "refused" | "failed";

/** Makes one commit at a time. */
interface Writer {
  receipt?: Receipt;
}

/** A committer and the batches that wait for it. */
interface State extends CommitterOptions {
  kv: Deno.Kv;
  depths: CommitDepths;
  depthIn: DepthIn;
  committer: Committer;
  queue: Waiting[];
  /** The writers that have nothing to do. */
  idle: Writer[];
  /** The keys that commits under way check, where there may be several. */
  checked: Set<string>;
  /** The queue is looked at before the turn of the event loop ends. */
  isPumping: boolean;
  /** KV's own queue holds a wake-up that was not delivered yet. */
  isRinging: boolean;
}

/** The committer of a store. All writes of records and jobs go through it. */
export function committer(kv: Deno.Kv, options: CommitterOptions): Committer {
  const self: Committer = {
    onJobs: () => {},
    listen() {
      if (!options.doorbell) return;
      // Rejects when the store closes. A lost wake-up is no loss: watch and poll wake as well.
      kv.listenQueue(() => {
        state.isRinging = false;
        self.onJobs();
      }).catch(() => {});
    },
    commit: (batch) =>
      new Promise((resolve, reject) => {
        const queue = () => {
          state.queue.push({ batch, resolve, reject });
          if (!state.isPumping) pump(state);
        };
        const loading = depths.load(batch); // The size of a commit depends on it.
        if (loading === null) queue();
        else loading.then(queue, reject);
      }),
  };
  const { depths = sameDepths } = options;
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
    isRinging: false,
  };
  return self;
}

async function pump(state: State): Promise<void> {
  state.isPumping = true;
  await null; // Batches of one turn share a commit; later ones wait for a writer.
  state.isPumping = false;
  while (state.idle.length > 0) {
    const group = takeGroup(state.queue, state);
    if (group.length === 0) return;
    void write(state, state.idle.pop()!, group); // One is idle.
  }
}

/** Has a writer commit a group; then it takes what has come meanwhile. */
async function write(state: State, writer: Writer, group: Waiting[]): Promise<void> {
  const names = state.receipts === undefined ? [] : group.flatMap(({ batch }) => checkedBy(batch));
  names.forEach((name) => state.checked.add(name));
  await commitGroup(state, writer, group);
  names.forEach((name) => state.checked.delete(name));
  state.idle.push(writer);
  if (state.queue.length > 0 && !state.isPumping) await pump(state);
}

/** One commit for the group; when it fails, each member is tried alone. */
async function commitGroup(state: State, writer: Writer, group: Waiting[]): Promise<void> {
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

async function attempt(state: State, writer: Writer, batches: Batch[]): Promise<Committed> {
  if (!batches.every(isCurrent)) return null;
  const makesJobs = batches.some(({ due }) => due.length > 0);
  const rings = makesJobs && state.doorbell && !state.isRinging;
  const committed = await make(state, writer, { batch: merged(batches), rings });
  if (committed === null) return null;
  if (rings) state.isRinging = true;
  if (makesJobs) state.committer.onJobs();
  return committed;
}

/** Makes a commit. The caches learn of it before its caller does. */
async function make(
  state: State,
  writer: Writer,
  { batch, rings }: { batch: Batch; rings: boolean },
): Promise<Committed> {
  const { kv, depths, fence, counters, lists = [] } = state;
  const { receipt } = writer;
  const { deletes } = batch;
  let staged: Deno.AtomicCheck | undefined;
  let moved: Moved[] = [];
  for (const one of lists) await one.began(batch);
  let committed: Committed = null;
  let outcome: CommitOutcome = "failed";
  const startedAt = performance.now();
  try {
    const result = await commitRetrying(async () => {
      // What is read of depths holds while the fence does: nothing may come between both.
      for (let more = depths.load(batch); more !== null; more = depths.load(batch)) await more;
      moved = movedBy(batch.counts, depths.depthIn);
      const op = operation(kv, batch, { moved, rings });
      if (state.versions) stageVersions(op, batch);
      receipt?.stage(op);
      staged = fence?.stage(op);
      return await op.commit();
    });
    committed = result.ok ? result : await receipt?.find() ?? null;
    outcome = committed === null ? "refused" : "made";
    const isRefused = committed === null && staged && await fence?.refresh(staged) === true;
    if (isRefused && isCurrent(batch)) return await make(state, writer, { batch, rings });
    if (committed !== null) {
      counters?.made({ moved, deletes }, committed.versionstamp);
      depths.made(batch, moved);
    }
    return committed;
  } catch (error) {
    counters?.doubt({ moved, deletes });
    depths.made(batch, []);
    throw error;
  } finally {
    state.onCommit?.(outcome, performance.now() - startedAt);
    for (const one of lists) one.ended(committed);
  }
}

/**
 * A second handle on the embedded file (a backup, an inspection) can make a checked commit throw
 * "database is locked" before it wrote anything, so the commit is repeated.
 */
async function commitRetrying(
  commit: () => Promise<Deno.KvCommitResult | Deno.KvCommitError>,
): Promise<Deno.KvCommitResult | Deno.KvCommitError> {
  for (let attempt = 1;; attempt++) {
    try {
      return await commit();
    } catch (error) {
      if (attempt === lockedAttempts || !/database is locked|busy/i.test(String(error))) {
        throw error;
      }
      await jitter(Math.min(attempt * 5, 60));
    }
  }
}

const lockedAttempts = 60;

/** Waits a random time up to `ms`, so that competing writers do not collide again. */
export const jitter = (ms: number): Promise<void> =>
  new Promise((wake) => setTimeout(wake, Math.random() * ms));
