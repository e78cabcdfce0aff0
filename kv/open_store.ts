import type { AnyJobHandler } from "../core/job.ts";
import { limits } from "../core/limits.ts";
import type { Accounts, AlsoInserted, Ledger, Ports, Records, Stock } from "../core/ports.ts";
import type { Companions } from "../core/companion_ports.ts";
import { resources } from "../core/resources/mod.ts";
import { accountNumbers, accountTree } from "./accounts.ts";
import { collection, type StoreContext, type StoredCollection } from "./collection.ts";
import type { Batch } from "./batch.ts";
import { committer } from "./commit.ts";
import { companionStates } from "./companions.ts";
import { withDeadline } from "./deadline.ts";
import { ledger } from "./ledger.ts";
import { queue } from "./queue.ts";
import { mergedReader } from "./reader.ts";
import { receiptOf } from "./receipt.ts";
import { recentRecords } from "./recent_records.ts";
import { stored } from "./renamed.ts";
import { checkSchema } from "./schema.ts";
import { sealer } from "./seal.ts";
import { stock } from "./stock.ts";
import { type Worker, worker } from "./worker.ts";

export interface StoreOptions {
  /** A file, `:memory:`, or the http(s) URL of a KV Connect endpoint. */
  location: string;
  secretKey: string;
  now(): number;
}

/** The one store of this process. */
export interface Store {
  records: Records;
  accounts: Accounts;
  companions: Companions;
  ledger: Ledger;
  stock: Stock;
  /** The worker of this store's jobs; nothing runs until it is started or drained. */
  worker(handlers: AnyJobHandler[], ports: Ports): Promise<Worker>;
  close(): void;
}

/**
 * Opens the store with the one handle a process may have: on an embedded file a second one makes
 * checked commits fail, so a lock file keeps other processes out. Throws an Error that says why.
 */
export async function openStore({ location, secretKey, now }: StoreOptions): Promise<Store> {
  const isRemote = /^https?:/.test(location);
  const lock = isRemote || location === ":memory:" ? undefined : await lockFile(location);
  const opened = await Deno.openKv(location);
  const kv = isRemote ? withDeadline(opened, limits.storeTimeoutMs) : opened;
  const fields = await checkSchema(kv, resources).catch((error) => {
    kv.close();
    lock?.close();
    throw error;
  });

  const checks = isRemote ? 10 : 100;
  const commits = committer(kv, {
    checks,
    doorbell: !isRemote,
    ...(isRemote && { receipt: receiptOf(kv) }),
  });
  const records = {} as Record<string, StoredCollection<never>>;
  const stageAlso = async (batch: Batch, also: AlsoInserted[]) => {
    for (const { into, record } of also) await records[into]!.stageInsert(batch, record as never);
  };
  const stageOthers: StoreContext["stageOthers"] = async (batch, { put = [], gone = [] }) => {
    for (const { into, record } of put) await records[into]!.stagePut(batch, record as never);
    for (const { from, accountSid, sid } of gone) {
      await records[from]!.stageGone(batch, accountSid, sid);
    }
  };
  const context: StoreContext = {
    kv,
    read: isRemote ? (key) => kv.get(key) : mergedReader(kv),
    committer: commits,
    seal: sealer(secretKey),
    recent: recentRecords(limits.recentRecordBytes),
    fields,
    now,
    accountNumber: accountNumbers(kv),
    stageAlso,
    stageOthers,
  };
  for (const [name, definition] of Object.entries(resources)) {
    records[name] = stored(definition, (as) => collection(context, name, as));
  }

  return {
    records: records as unknown as Records,
    accounts: accountTree(context),
    companions: companionStates(kv),
    ledger: ledger(context),
    stock: stock(kv),
    async worker(handlers, ports) {
      const jobs = queue(kv, commits, checks);
      if (!isRemote) await jobs.releaseAll(now());
      return worker({ kv, queue: jobs, committer: commits, handlers, ports, stageAlso });
    },
    close() {
      kv.close();
      lock?.close();
    },
  };
}

/**
 * Makes the file, its owner's alone, and holds `<file>.lock` for as long as it is open; the
 * system frees that when the process dies.
 */
async function lockFile(location: string): Promise<Deno.FsFile> {
  const file = await Deno.open(`${location}.lock`, { create: true, write: true, mode: 0o600 });
  if (await file.tryLock(true)) {
    (await Deno.open(location, { create: true, append: true, mode: 0o600 })).close();
    return file;
  }
  file.close();
  throw new Error(`Cannot open the store: ${location} is in use by another process`);
}
