import { Fault } from "../../core/base/faults.ts";
import { type Batch, type Committed, keyBytesOf, keyText, merged } from "./batch.ts";
import { eachMoved } from "./counters.ts";
import { keys } from "./keys.ts";
import type { Receipt } from "./receipt.ts";

export interface Committer {
  /**
   * Commits a batch. Batches that wait at the same time share one commit, and so one disk flush,
   * which is what bounds the writes of a store. Throws when the store is out of reach.
   */
  commit(batch: Batch): Promise<Committed>;
  /** Called after a commit that made a job due, and when KV's own queue says that one did. */
  onJobs: () => void;
  /** Listens to KV's own queue, where there is one, as a further wake-up. */
  listen(): void;
}

interface Waiting {
  batch: Batch;
  resolve(committed: Committed): void;
  reject(error: unknown): void;
}

/** Told before a commit, one at a time, what it may write, and how it ended. */
export interface CommitWatch {
  began(writes: Pick<Batch, "sets" | "deletes">): Promise<void> | void;
  /** Null when it was not made, or nobody knows whether it was. */
  ended(committed: Committed): void;
}

/** Told, in their order, of the commits that were made. */
export interface CommitRecord {
  made(batch: Batch, versionstamp: string): void;
  /** Nobody knows whether this one was made. */
  doubt(batch: Batch): void;
}

/** `checks`: 100 on the embedded file, 10 on a remote store. `doorbell`: KV's own queue exists. */
export interface CommitterOptions {
  checks: number;
  doorbell: boolean;
  /** Of a store whose client sends a commit again when its answer is lost. */
  receipt?: Receipt;
  /** Of a store that nobody else writes to. */
  counters?: CommitRecord;
  /** Memories of lists. */
  lists?: CommitWatch[];
}

/** Below what Deno KV takes in one commit: 1000 mutations, 80 KiB of keys. */
const groupMutations = 900;
const groupKeyBytes = 72 << 10;

export function committer(kv: Deno.Kv, options: CommitterOptions): Committer {
  const queue: Waiting[] = [];
  const bell = { pending: false };
  const { receipt, counters, lists = [] } = options;
  let isPumping = false;

  /** Makes a commit, of which the memories hear before anybody else. */
  async function make(batch: Batch, rings: boolean): Promise<Committed> {
    for (const one of lists) await one.began(batch);
    let committed: Committed = null;
    try {
      const result = await commitRetrying(() => {
        const op = operation(kv, batch, rings);
        receipt?.stage(op);
        return op;
      });
      committed = result.ok ? result : await receipt?.find() ?? null;
      if (committed !== null) counters?.made(batch, committed.versionstamp);
      return committed;
    } catch (error) {
      counters?.doubt(batch);
      throw error;
    } finally {
      for (const one of lists) one.ended(committed);
    }
  }

  async function attempt(batches: Batch[]): Promise<Committed> {
    const makesJobs = batches.some(({ due }) => due.length > 0);
    const rings = makesJobs && options.doorbell && !bell.pending;
    const committed = await make(merged(batches), rings);
    if (committed === null) return null;
    if (rings) bell.pending = true;
    if (makesJobs) self.onJobs();
    return committed;
  }

  /** One commit for the group; when it fails, each member is tried alone. */
  async function commitGroup(group: Waiting[]): Promise<void> {
    try {
      const committed = await attempt(group.map(({ batch }) => batch));
      if (committed !== null || group.length === 1) {
        return group.forEach(({ resolve }) => resolve(committed));
      }
    } catch (error) {
      // A store that does not answer one will not answer each of them either, nor those that wait.
      if (error instanceof Fault) group.push(...queue.splice(0));
      if (error instanceof Fault || group.length === 1) {
        return group.forEach(({ reject }) => reject(error));
      }
    }
    for (const { batch, resolve, reject } of group) await attempt([batch]).then(resolve, reject);
  }

  async function pump(): Promise<void> {
    isPumping = true;
    await null; // What is queued in this turn goes together; later, what queued during a commit.
    while (queue.length > 0) await commitGroup(takeGroup(queue, options.checks));
    isPumping = false;
  }

  const self: Committer = {
    onJobs: () => {},
    listen() {
      if (!options.doorbell) return;
      // Rejects when the store closes. A lost doorbell is no loss: watch and poll wake as well.
      kv.listenQueue(() => {
        bell.pending = false;
        self.onJobs();
      }).catch(() => {});
    },
    commit: (batch) =>
      new Promise((resolve, reject) => {
        queue.push({ batch, resolve, reject });
        if (!isPumping) pump();
      }),
  };
  return self;
}

/** As many as fit one operation. Two that check one key never share: the later would overwrite. */
function takeGroup(queue: Waiting[], maxChecks: number): Waiting[] {
  if (queue.length === 1) return queue.splice(0);
  const group: Waiting[] = [];
  const checked = new Set<string>();
  const counters = new Set<string>();
  const size = { mutations: 0, keyBytes: 0 };
  for (const { batch, ...waiting } of queue) {
    const names = batch.checks.map(({ key }) => keyText(key));
    const moved = countersOf(batch).filter(({ name }) => !counters.has(name));
    const sums = moved.reduce((sum, { depth }) => sum + depth, 0);
    const written = batch.sets.length + batch.deletes.length + batch.due.length + sums;
    const mutations = size.mutations + written;
    const keyBytes = size.keyBytes + keyBytesOf(batch, moved);
    const fits = checked.size + names.length <= maxChecks && mutations <= groupMutations &&
      keyBytes <= groupKeyBytes;
    if (group.length > 0 && (!fits || names.some((name) => checked.has(name)))) break;
    names.forEach((name) => checked.add(name));
    moved.forEach(({ name }) => counters.add(name));
    Object.assign(size, { mutations, keyBytes });
    group.push({ batch, ...waiting });
  }
  queue.splice(0, group.length);
  return group;
}

/** What a batch moves or raises: each by a name, and so many keys of that at most. */
function countersOf({ counts, sums, raises }: Batch): { name: string; depth: number }[] {
  const found = [...sums.keys(), ...raises.keys()].map((name) => ({ name, depth: 1 }));
  for (const [text, { depth, buckets }] of counts) {
    for (const bucket of buckets.keys()) found.push({ name: `${text}${bucket}`, depth });
  }
  return found;
}

function operation(kv: Deno.Kv, batch: Batch, rings: boolean): Deno.AtomicOperation {
  const op = kv.atomic();
  op.check(...batch.checks);
  for (const { key, value } of batch.sets) op.set(key, value);
  for (const key of batch.deletes) op.delete(key);
  const due = new Map<string, number>();
  for (const { lane, at } of batch.due) due.set(lane, Math.min(at, due.get(lane) ?? at));
  for (const { key, by } of batch.sums.values()) if (by !== 0) op.sum(key, unsigned(by));
  for (const moves of batch.counts.values()) {
    eachMoved(moves, ({ level }, bucket, by) => {
      op.sum([...moves.key, ...keys.bucket(level, bucket)], unsigned(by));
    });
  }
  for (const { key, to } of batch.raises.values()) op.max(key, BigInt(to));
  for (const [lane, at] of due) op.min(keys.lane(lane), BigInt(Math.floor(at)));
  if (due.size > 0) op.sum(keys.wake, 1n);
  if (rings) op.enqueue({ wake: true });
  return op;
}

const unsigned = (by: number): bigint => BigInt.asUintN(64, BigInt(by));

/**
 * A second handle on the embedded file (a backup, an inspection) can make a checked commit throw
 * "database is locked" before it wrote anything, so it is simply tried again.
 */
async function commitRetrying(
  make: () => Deno.AtomicOperation,
): Promise<Deno.KvCommitResult | Deno.KvCommitError> {
  for (let attempt = 1;; attempt++) {
    try {
      return await make().commit();
    } catch (error) {
      if (attempt === lockedAttempts || !/database is locked|busy/i.test(String(error))) {
        throw error;
      }
      await jitter(Math.min(attempt * 5, 60));
    }
  }
}

const lockedAttempts = 60;

/** Waits up to `ms`, at random, so that racing writers part. */
export const jitter = (ms: number): Promise<void> =>
  new Promise((wake) => setTimeout(wake, Math.random() * ms));
