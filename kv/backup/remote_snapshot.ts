import { limits } from "../../core/base/limits.ts";
import { withDeadline } from "../store/deadline.ts";
import { keys } from "../store/keys.ts";
import { openLocation } from "../engines/open_location.ts";
import { backupLimits } from "./limits.ts";
import type { Progress } from "./progress.ts";
import { openScratch, type Snapshot } from "./snapshot.ts";
import { openSpool, type Spool } from "./spool.ts";
import type { KeyValueStore, KvKey, KvKeyPart } from "../store/key_value_store.ts";

export interface RemoteOptions {
  /** DATA_DIR, where the copy is made. */
  folder: string;
  progress: Progress;
  signal: AbortSignal;
}

/**
 * The entries of a store behind KV Connect, which reads only a page of a list at one moment. A
 * notice in the store makes every process log its commits (`kv/store/commit_log.ts`) while all
 * pages are copied. The commit that ends the notice is the moment of the snapshot. The entries of
 * the log are then applied to the copy, if the copy is older.
 */
export async function remoteSnapshot(
  url: string,
  { folder, progress, signal }: RemoteOptions,
): Promise<Snapshot> {
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  const scratch = await openScratch(`${folder}/switchboard.db`);
  try {
    const spool = openSpool(scratch.path);
    try {
      using opened = await openLocation(url);
      const kv = withDeadline(opened, limits.storeTimeoutMs);
      await copyStore(kv, spool, { progress, signal });
    } catch (error) {
      spool.close();
      throw error;
    }
    return {
      total: spool.size(),
      entries: spool.entries,
      async [Symbol.asyncDispose]() {
        spool.close();
        await scratch.remove();
      },
    };
  } catch (error) {
    await scratch.remove();
    throw error;
  }
}

/** First elements of the keys that a copy leaves out. */
const unsaved = new Set<KvKeyPart | undefined>(
  [keys.backup, keys.logs, keys.followed, keys.changes, keys.changedAny].map(([first]) => first),
);

type CopyOptions = Omit<RemoteOptions, "folder">;

async function copyStore(kv: KeyValueStore, spool: Spool, options: CopyOptions): Promise<void> {
  const notice = await openNotice(kv);
  try {
    let count = 0;
    const all = kv.list({ prefix: [] }, { batchSize: backupLimits.remoteReadAtOnce });
    for await (const entry of all) {
      options.signal.throwIfAborted();
      await notice.renew();
      if (!unsaved.has(entry.key[0])) spool.add(entry);
      options.progress.at("Entries read", ++count, null);
    }
    options.progress.over();
    await notice.end();
    const log = kv.list<Uint8Array>({ prefix: keys.log(notice.id) }, { batchSize: 100 });
    for await (const { key, value, versionstamp } of log) {
      options.signal.throwIfAborted();
      spool.addLog({ commit: String(key[2]), n: Number(key[3]), versionstamp, bytes: value });
    }
    spool.applyLog();
  } finally {
    // If the store is unreachable, the notice and the log expire.
    await notice.clear().catch(() => {});
  }
}

/**
 * The entry by which every process learns that a backup is under way. It is never deleted. A
 * process whose commit was refused sees by its version that a backup was there, even one that is
 * over.
 */
interface NoticeOfBackup {
  id: string;
  /** Keeps the notice from expiring. Throws when it is gone. */
  renew(): Promise<void>;
  /** Says that no backup is under way. Throws when another did before: the log is not complete then. */
  end(): Promise<void>;
  /** Ends what is left of the backup, and removes the log. */
  clear(): Promise<void>;
}

/** The value of the entry. */
interface Noticed {
  /** Of the backup that is under way. */
  id: string | null;
}

/** Takes the place of the notice of a killed backup. */
async function openNotice(kv: KeyValueStore): Promise<NoticeOfBackup> {
  const id = crypto.randomUUID();
  const expireIn = backupLimits.noticeMs;
  const before = await kv.get<Noticed>(keys.backup);
  let { versionstamp }: { versionstamp: string | null } = before;
  let renewedAt = performance.now();
  const set = async (value: Noticed, options = {}) => {
    const check = { key: keys.backup, versionstamp };
    return await kv.atomic().check(check).set(keys.backup, value, options).commit();
  };
  const write = async () => {
    const result = await set({ id }, { expireIn });
    if (!result.ok) throw lost();
    versionstamp = result.versionstamp;
    renewedAt = performance.now();
  };
  const end = () => set({ id: null });
  await write();
  return {
    id,
    async renew() {
      if (performance.now() - renewedAt > expireIn / 4) await write();
    },
    async end() {
      const { ok } = await end();
      if (!ok) throw lost();
    },
    async clear() {
      // No commit is logged for this backup after this one, whether the notice is there or not.
      await end();
      for (const of of new Set([id, before.value?.id ?? id])) await removeAll(kv, keys.log(of));
    },
  };
}

async function removeAll(kv: KeyValueStore, prefix: KvKey): Promise<void> {
  let op = kv.atomic();
  let count = 0;
  for await (const { key } of kv.list({ prefix }, { batchSize: 100 })) {
    op.delete(key);
    if (++count % backupLimits.commitMutations > 0) continue;
    await op.commit();
    op = kv.atomic();
  }
  await op.commit();
}

const lost = () =>
  new Error(
    "Cannot save the store: another backup began, or this one stood still for minutes; repeat it",
  );
