import type { AnyJobHandler } from "../core/ports/job_handler.ts";
import { limits } from "../core/base/limits.ts";
import type { Accounts, Ledger, Ports, Records, Stock } from "../core/ports/ports.ts";
import type {
  AlsoWritten,
  InsertedInto,
  RecordTypes,
  ResourceName,
  UpdatedIn,
} from "../core/model/record_types.ts";
import type { Companions } from "../core/ports/companion_ports.ts";
import { resources } from "../core/resources/mod.ts";
import { sidMaker, sidTime } from "../core/base/sid.ts";
import { accountNumbers, accountTree } from "./collections/accounts.ts";
import { collection, type StoreContext, type StoredCollection } from "./collections/collection.ts";
import type { Batch } from "./store/batch.ts";
import { committer } from "./store/commit.ts";
import { companionStates } from "./collections/companions.ts";
import { withDeadline } from "./store/deadline.ts";
import { narrowExpiryIndex } from "./store/expiry_index.ts";
import { ledger } from "./collections/ledger.ts";
import { counterCache } from "./cache/counter_cache.ts";
import { listStates } from "./cache/list_states.ts";
import { queue, stageJobs } from "./jobs/queue.ts";
import { mergedReader } from "./store/reader.ts";
import { receiptOf, sweepReceipts } from "./store/receipt.ts";
import { recordCache } from "./cache/record_cache.ts";
import { runCache } from "./cache/run_cache.ts";
import { stored } from "./collections/renamed.ts";
import { checkSchema } from "./records/schema.ts";
import { sealer } from "./store/seal.ts";
import { stock } from "./collections/stock.ts";
import { type Worker, worker } from "./jobs/worker.ts";

export interface StoreOptions {
  /** A file, `:memory:`, or the http(s) URL of a KV Connect endpoint. */
  location: string;
  secretKey: string;
  now(): number;
  /** Of records that cannot be read. Absent: none. */
  log?: Ports["log"];
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

/** The collections by the names of their resources. */
type StoredRecords = { [Name in ResourceName]: StoredCollection<RecordTypes[Name]> };

/**
 * Opens the store with the one handle a process may have: on an embedded file a second one makes
 * checked commits fail, so a lock file keeps other processes out. Throws an Error that says why.
 */
export async function openStore(
  { location, secretKey, now, log = () => {} }: StoreOptions,
): Promise<Store> {
  const isRemote = /^https?:/.test(location);
  const isFile = !isRemote && location !== ":memory:";
  const lock = isFile ? await lockFile(location) : undefined;
  const opened = await Deno.openKv(location);
  const kv = isRemote ? withDeadline(opened, limits.storeTimeoutMs) : opened;
  const prepare = async () => {
    if (isFile) narrowExpiryIndex(location);
    const fields = await checkSchema(kv, resources);
    if (isRemote) await sweepReceipts(kv, now());
    return fields;
  };
  const fields = await prepare().catch((error) => {
    kv.close();
    lock?.close();
    throw error;
  });

  const checks = isRemote ? 10 : 100;
  const counters = isRemote ? null : counterCache(limits.cachedCounters);
  const states = isRemote ? null : listStates();
  const runs = isRemote ? null : runCache(limits.recentRunBytes);
  const commits = committer(kv, {
    checks,
    doorbell: !isRemote,
    ...(isRemote && { receipt: receiptOf(kv, now) }),
    ...(counters && { counters }),
    lists: [states, runs].filter((one) => one !== null),
  });
  const stageInsert = async <Name extends ResourceName>(
    batch: Batch,
    { into, record }: InsertedInto<Name>,
    isChecked = true,
  ) => await records[into].stageInsert(batch, record, isChecked);
  const stageChange = async <Name extends ResourceName>(batch: Batch, one: UpdatedIn<Name>) =>
    await records[one.into].stageChange(batch, one, one.change);
  const stageAlso = async (batch: Batch, also: AlsoWritten[]) => {
    for (const one of also) {
      if ("record" in one) await stageInsert(batch, one);
      else await stageChange(batch, one);
    }
  };
  const stagePut = async <Name extends ResourceName>(batch: Batch, one: InsertedInto<Name>) => {
    const { into, record } = one;
    const isThere = await records[into].stageChange(batch, record, () => record);
    if (!isThere) await stageInsert(batch, one);
  };
  const newSid = sidMaker(now);
  const stageCaused: StoreContext["stageCaused"] = async (batch, caused) => {
    const { jobs = [], also = [], put = [], gone = [] } = caused;
    const named = jobs.map((job) => job.shown ? { ...job, id: newSid(job.shown.sidPrefix) } : job);
    stageJobs(batch, named, now());
    for (const { shown, id } of named) {
      if (shown === undefined) continue;
      const dates = { dateCreated: sidTime(id!), dateUpdated: sidTime(id!) };
      const made = shown.make({ sid: id!, accountSid: shown.accountSid, ...dates });
      await stageInsert(batch, made, false);
    }
    await stageAlso(batch, also);
    for (const one of put) await stagePut(batch, one);
    for (const one of gone) await records[one.from].stageChange(batch, one, () => undefined);
  };
  const context: StoreContext = {
    kv,
    read: isRemote ? (key) => kv.get(key) : mergedReader(kv),
    committer: commits,
    seal: sealer(secretKey),
    cache: recordCache(limits.recentRecordBytes),
    counters,
    states,
    runs,
    fields,
    now,
    log,
    accountNumber: accountNumbers(kv),
    stageCaused,
  };
  const records = Object.fromEntries(
    Object.entries(resources).map(([name, definition]) => [
      name,
      stored(definition, (as) => collection(context, name, as)),
    ]),
  ) as unknown as StoredRecords; // Object.fromEntries() forgets which name has which type.

  return {
    records,
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
