import type { AnyJobHandler } from "../core/ports/job_handler.ts";
import { limits } from "../core/base/limits.ts";
import type { Accounts, Ledger, Ports, Records, Stock } from "../core/ports/ports.ts";
import type { AlsoWritten } from "../core/model/record_types.ts";
import type { Companions } from "../core/ports/companion_ports.ts";
import { resources } from "../core/resources/mod.ts";
import { sidMaker } from "../core/base/sid.ts";
import { accountNumbers, accountTree } from "./collections/accounts.ts";
import { collection } from "./collections/collection.ts";
import type { Batch } from "./store/batch.ts";
import { committer } from "./store/commit.ts";
import { withCommitLog } from "./store/commit_log.ts";
import { companionStates } from "./collections/companions.ts";
import { withDeadline } from "./store/deadline.ts";
import { narrowExpiryIndex } from "./store/expiry_index.ts";
import { ledger } from "./collections/ledger.ts";
import { counterCache } from "./cache/counter_cache.ts";
import { listStates } from "./cache/list_states.ts";
import { queue } from "./jobs/queue.ts";
import { lockFile } from "./store/lock_file.ts";
import { mergedReader } from "./store/reader.ts";
import { receiptOf, sweepReceipts } from "./store/receipt.ts";
import { recordCache } from "./cache/record_cache.ts";
import { runCache } from "./cache/run_cache.ts";
import { stageAlso, stageCaused, type StoredRecords } from "./collections/stage_caused.ts";
import type { StoreContext } from "./collections/store_context.ts";
import { stored } from "./collections/renamed.ts";
import { checkSchema } from "./records/schema.ts";
import { reseal, type Resealed } from "./collections/reseal.ts";
import { sealer } from "./store/seal.ts";
import { isRemoteLocation } from "./store/sealed_store.ts";
import { stock } from "./collections/stock.ts";
import { type Worker, worker } from "./jobs/worker.ts";

export interface StoreOptions {
  /** A file, `:memory:`, or the http(s) URL of a KV Connect endpoint. */
  location: string;
  secretKey: string;
  /** A second key that opens what is sealed; what is written is sealed with `secretKey`. */
  otherKey?: string;
  now(): number;
  /** Whether to narrow the index of expiry of a file (`narrowExpiryIndex`); so unless given. */
  narrowsIndex?: boolean;
  /** Logs records that cannot be read. Absent: no log. */
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
  /**
   * Seals with `secretKey` every record that only `otherKey` opens; may be repeated. Rejects with the
   * reason of the signal.
   */
  reseal(signal: AbortSignal): Promise<Resealed>;
  close(): void;
}

/**
 * Opens the store with the one handle a process may have: on an embedded file a second one makes
 * checked commits fail, so a lock file keeps other processes out. Throws an Error that says why.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { now } = options;
  const opened = await openKv(options);
  const { kv, isRemote } = opened;
  const parts = partsOf(opened, options);
  const newSid = sidMaker(now);
  const context: StoreContext = {
    ...parts,
    stageCaused: (batch, caused) => stageCaused({ records, now, newSid }, batch, caused),
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
      const { committer } = parts;
      const jobs = queue(kv, committer, checksOf(opened));
      if (!isRemote) await jobs.releaseAll(now());
      const stage = (batch: Batch, also: AlsoWritten[]) => stageAlso(records, batch, also);
      return worker({ kv, queue: jobs, committer, handlers, ports, stageAlso: stage });
    },
    reseal: (signal) => reseal(context, signal),
    close: opened.close,
  };
}

/** A KV handle whose schema fits this program. */
interface Opened {
  kv: Deno.Kv;
  /** The store is a server that other processes may use as well. */
  isRemote: boolean;
  /** The order in which records hold their fields, by resource. */
  fields: Record<string, string[]>;
  close(): void;
}

async function openKv(
  { location, now, narrowsIndex = true }: StoreOptions,
): Promise<Opened> {
  const isRemote = isRemoteLocation(location);
  const isFile = !isRemote && location !== ":memory:";
  const lock = isFile ? await lockFile(location) : undefined;
  const opened = await Deno.openKv(location);
  const kv = isRemote ? withCommitLog(withDeadline(opened, limits.storeTimeoutMs)) : opened;
  const close = () => {
    kv.close();
    lock?.close();
  };
  try {
    if (isFile && narrowsIndex) narrowExpiryIndex(location);
    const fields = await checkSchema(kv, resources);
    if (isRemote) await sweepReceipts(kv, now());
    return { kv, isRemote, fields, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** The most checks of one commit. A remote store takes ten, one of them is of `withCommitLog`. */
const checksOf = ({ isRemote }: Opened): number => isRemote ? 9 : 100;

/**
 * The parts that the collections share. A remote store has no caches of lists and counters: other
 * processes write to it as well.
 */
function partsOf(
  opened: Opened,
  { secretKey, otherKey, now, log = () => {} }: StoreOptions,
): Omit<StoreContext, "stageCaused"> {
  const { kv, isRemote, fields } = opened;
  const counters = isRemote ? null : counterCache(limits.cachedCounters);
  const states = isRemote ? null : listStates();
  const runs = isRemote ? null : runCache(limits.recentRunBytes);
  return {
    kv,
    read: isRemote ? (key) => kv.get(key) : mergedReader(kv),
    committer: committer(kv, {
      checks: checksOf(opened),
      doorbell: !isRemote,
      ...(isRemote && { receipt: receiptOf(kv, now) }),
      ...(counters && { counters }),
      lists: [states, runs].filter((one) => one !== null),
    }),
    seal: sealer(secretKey, otherKey),
    cache: recordCache(limits.recentRecordBytes),
    counters,
    states,
    runs,
    fields,
    now,
    log,
    accountNumber: accountNumbers(kv),
  };
}
