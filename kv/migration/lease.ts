/**
 * One service at a time migrates. The lease and the cursor are one record, which each commit of a migration
 * checks and changes; another service takes it when it did not change for 15 s of its own clock, so clocks
 * need not agree. A service that was suspended and comes back fails at its next commit, and changes
 * nothing.
 */
import { limits } from "../../core/base/limits.ts";
import { type Batch, emptyBatch } from "../store/batch.ts";
import { keys } from "../store/keys.ts";
import { type Migration, pause } from "./migration.ts";
import type { AtomicCheck, KvEntryMaybe } from "../store/key_value_store.ts";

/** Progress of a migration: all records before this one are done. */
export interface Cursor {
  task: string;
  account: string;
  resource: string;
  /** The last record that is done, as part of a key; absent at the beginning of the resource. */
  after?: Uint8Array;
  /** Records that the task has passed. */
  done: number;
}

/** Stored state of a running or interrupted migration. */
interface Held {
  holder: string;
  cursor: Cursor | null;
}

/** The right to migrate a store. One service at a time has it. */
export interface Lease {
  readonly cursor: Cursor | null;
  /**
   * Commits a batch with the cursor after it. False when an entry that the batch checks has changed.
   * Throws when another service has taken the lease.
   */
  commit(batch: Batch, cursor: Cursor | null): Promise<boolean>;
  release(): Promise<void>;
}

/**
 * Takes the lease, also one that another process left; null when nothing is to do any more. Each
 * commit of its holder changes the lease and checks that it has it still. On a shared store the
 * lease is taken over when it did not change for `migrationLeaseMs`: the clocks of the services need
 * not agree. A store in a file has one process only.
 */
export async function takeLease(
  migration: Migration,
  isWanted: () => Promise<boolean>,
  signal?: AbortSignal,
): Promise<Lease | null> {
  const { kv, isShared, log } = migration;
  const holder = crypto.randomUUID();
  let [seen, since] = ["", performance.now()];
  while (await isWanted()) {
    signal?.throwIfAborted();
    const entry = await kv.get<Held>(keys.migration);
    if (entry.versionstamp !== seen) {
      [seen, since] = [entry.versionstamp ?? "", performance.now()];
      if (isShared && seen !== "") log("Another service migrates the store", { level: "info" });
    }
    const isFree = !isShared || entry.versionstamp === null ||
      performance.now() - since >= limits.migrationLeaseMs;
    if (isFree) {
      const lease = leaseOf(migration, holder, entry);
      if (await lease.commit(emptyBatch(), entry.value?.cursor ?? null)) return lease;
    } else await pause(limits.layoutPollMs, signal);
  }
  return null;
}

function leaseOf(
  { kv, committer }: Migration,
  holder: string,
  found: KvEntryMaybe<Held>,
): Lease {
  let entry: AtomicCheck = found;
  let current = found.value?.cursor ?? null;
  let isHeld = false;

  async function commit(batch: Batch): Promise<boolean> {
    batch.checks.push(entry);
    const committed = await committer.commit(batch);
    if (committed !== null) {
      entry = { key: keys.migration, versionstamp: committed.versionstamp };
      return isHeld = true;
    }
    const { versionstamp } = await kv.get(keys.migration);
    if (isHeld && versionstamp !== entry.versionstamp) {
      throw new Error("Another service continues the migration");
    }
    return false;
  }

  return {
    get cursor() {
      return current;
    },
    async commit(batch, cursor) {
      const held: Held = { holder, cursor };
      batch.sets.push({ key: keys.migration, value: held });
      const isMade = await commit(batch);
      if (isMade) current = cursor;
      return isMade;
    },
    async release() {
      const batch = emptyBatch();
      batch.deletes.push(keys.migration);
      await commit(batch);
    },
  };
}
