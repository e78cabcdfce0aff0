import { keys } from "./keys.ts";

/** Writes to be made together, as data: what a change stages before anything is committed. */
export interface Batch {
  checks: Deno.AtomicCheck[];
  sets: { key: Deno.KvKey; value: unknown }[];
  deletes: Deno.KvKey[];
  /** Counters (U64) to move. */
  sums: { key: Deno.KvKey; by: bigint }[];
  /** Earliest due times to lower, by lane. */
  due: { lane: string; at: number }[];
}

/** Null when a check failed: somebody else wrote first, and nothing was written. */
export type Committed = { versionstamp: string } | null;

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

export const emptyBatch = (): Batch => ({ checks: [], sets: [], deletes: [], sums: [], due: [] });

interface Waiting {
  batch: Batch;
  resolve(committed: Committed): void;
  reject(error: unknown): void;
}

/** `checks`: 100 on the embedded file, 10 on a remote store. `doorbell`: KV's own queue exists. */
export interface CommitterOptions {
  checks: number;
  doorbell: boolean;
}

const groupMutations = 300;

export function committer(kv: Deno.Kv, options: CommitterOptions): Committer {
  const queue: Waiting[] = [];
  const bell = { pending: false };
  let isPumping = false;

  async function attempt(batches: Batch[]): Promise<Committed> {
    const makesJobs = batches.some(({ due }) => due.length > 0);
    const rings = makesJobs && options.doorbell && !bell.pending;
    const result = await commitRetrying(() => operation(kv, batches, rings));
    if (!result.ok) return null;
    if (rings) bell.pending = true;
    if (makesJobs) self.onJobs();
    return result;
  }

  /** One commit for the group; when it fails, each member is tried alone. */
  async function commitGroup(group: Waiting[]): Promise<void> {
    try {
      const committed = await attempt(group.map(({ batch }) => batch));
      if (committed !== null || group.length === 1) {
        return group.forEach(({ resolve }) => resolve(committed));
      }
    } catch (error) {
      if (group.length === 1) return group[0]!.reject(error);
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
  const group: Waiting[] = [];
  const checked = new Set<string>();
  let mutations = 0;
  for (const waiting of queue) {
    const { checks, sets, deletes, sums, due } = waiting.batch;
    const names = checks.map(({ key }) => keyText(key));
    const size = sets.length + deletes.length + sums.length + due.length;
    const fits = checked.size + checks.length <= maxChecks && mutations + size <= groupMutations;
    if (group.length > 0 && (!fits || names.some((name) => checked.has(name)))) break;
    names.forEach((name) => checked.add(name));
    mutations += size;
    group.push(waiting);
  }
  queue.splice(0, group.length);
  return group;
}

const keyText = (key: Deno.KvKey): string =>
  key.map((part) => part instanceof Uint8Array ? part.toHex() : typeof part + String(part)).join(
    "/",
  );

function operation(kv: Deno.Kv, batches: Batch[], rings: boolean): Deno.AtomicOperation {
  const op = kv.atomic();
  const due = new Map<string, number>();
  for (const batch of batches) {
    op.check(...batch.checks);
    for (const { key, value } of batch.sets) op.set(key, value);
    for (const key of batch.deletes) op.delete(key);
    for (const { key, by } of batch.sums) op.sum(key, by);
    for (const { lane, at } of batch.due) due.set(lane, Math.min(at, due.get(lane) ?? at));
  }
  for (const [lane, at] of due) op.min(keys.lane(lane), BigInt(Math.floor(at)));
  if (due.size > 0) op.sum(keys.wake, 1n);
  if (rings) op.enqueue({ wake: true });
  return op;
}

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
