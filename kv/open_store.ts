import type { AnyJobHandler } from "../core/model/ports/job_handler.ts";
import { limits } from "../core/base/limits.ts";
import type {
  Accounts,
  CookieStore,
  Ledger,
  Ports,
  Records,
  SipTraces,
  Stock,
  StoreOverview,
} from "../core/model/ports/ports.ts";
import type { AlsoWritten } from "../core/model/record_types.ts";
import type { ChangeFeed } from "../core/model/ports/change_feed.ts";
import type { Companions } from "../core/model/ports/companion_ports.ts";
import type { Blobs } from "../core/model/ports/providers.ts";
import { resources } from "../core/model/resources/mod.ts";
import { sidMaker } from "../core/base/sid.ts";
import { changeLog } from "./changes/change_log.ts";
import { ownFeed } from "./changes/own_feed.ts";
import type { RecentChanges } from "./changes/recent_changes.ts";
import { sharedFeed } from "./changes/shared_feed.ts";
import type { FeedStore } from "./changes/told.ts";
import { accountTree } from "./collections/accounts.ts";
import { audio } from "./collections/audio.ts";
import { collection } from "./collections/collection.ts";
import type { Batch } from "./store/batch.ts";
import { withCommitLog } from "./store/commit_log.ts";
import { companionStates } from "./collections/companions.ts";
import { withDeadline } from "./store/deadline.ts";
import { keys } from "./store/keys.ts";
import { narrowExpiryIndex } from "./store/expiry_index.ts";
import { ledger } from "./collections/ledger.ts";
import { noWire, promptWire } from "./store/prompt_wire.ts";
import { knownJobs } from "./jobs/known_jobs.ts";
import { ownQueue } from "./jobs/own_queue.ts";
import { sharedQueue } from "./jobs/shared_queue.ts";
import { moveDatedJobs } from "./jobs/dated_jobs.ts";
import { jobQueue } from "./jobs/overview.ts";
import type { JobQueue } from "../core/model/ports/job_queue.ts";
import { lockFile } from "./store/lock_file.ts";
import { storeHealth } from "./store/store_health.ts";
import { sweepReceipts } from "./store/receipt.ts";
import { type StoreClock, storeClock } from "./store/store_clock.ts";
import { stageAlso, stageCaused, type StoredRecords } from "./collections/stage_caused.ts";
import type { StoreContext } from "./collections/store_context.ts";
import { stored } from "./collections/renamed.ts";
import { layoutsOf } from "./records/layouts.ts";
import { nextSchema, type Schema } from "./records/schema.ts";
import { buildIndexes } from "./migration/build_indexes.ts";
import { migrateBeforeUse } from "./migration/migrate_before_use.ts";
import { changeSchema, type Migration, type Progress } from "./migration/migration.ts";
import { type SchemaFence, schemaFence } from "./migration/schema_fence.ts";
import { reseal, type Resealed } from "./collections/reseal.ts";
import { isRemoteLocation, openLocation } from "./engines/open_location.ts";
import { cookieStore } from "./collections/cookie_store.ts";
import { sipTraces } from "./collections/sip_traces.ts";
import { stock } from "./collections/stock.ts";
import { checksOf, type Opened, partsOf, type PartsOptions } from "./parts.ts";
import { type Worker, worker } from "./jobs/worker.ts";

export interface StoreOptions extends PartsOptions {
  /** A file, `:memory:`, the URL of a KV Connect endpoint, or empty: the store of the platform. */
  location: string;
  /** Narrows the index of expiry of a file (`narrowExpiryIndex`). Default: true. */
  narrowsIndex?: boolean;
  /** Called after each commit of a migration. */
  progress?(progress: Progress): void;
}

/** The one store of this process. */
export interface Store {
  records: Records;
  accounts: Accounts;
  companions: Companions;
  ledger: Ledger;
  jobs: JobQueue;
  stock: Stock;
  overview: StoreOverview;
  /** Audio for which there is no disk. */
  audio: Blobs;
  sipTraces: SipTraces;
  cookies: CookieStore;
  /** The clock of the spans that are written. */
  clock: StoreClock;
  /** The changes of records, for followers. */
  changes: ChangeFeed;
  /** The worker of this store's jobs; nothing runs until it is started or drained. */
  worker(handlers: AnyJobHandler[], ports: Ports): Promise<Worker>;
  /**
   * Seals with `secretKey` every record that only `otherKey` opens; may be repeated. Rejects with the
   * reason of the signal.
   */
  reseal(signal: AbortSignal): Promise<Resealed>;
  /**
   * Builds the indexes that do not cover all records yet, and finer counters of what was written until
   * then, while the store is used. An interrupted building goes on from where it ended. Rejects with
   * the reason of the signal.
   */
  buildIndexes(signal: AbortSignal): Promise<void>;
  /** Resolves when the writes that callers do not wait for (`insertSoon`) are over. */
  settle(): Promise<void>;
  close(): void;
}

/**
 * Opens the store with the one handle a process may have. On an embedded file a second one makes
 * checked commits fail, so a lock file excludes other processes. A store of a former layout is
 * migrated as far as its use needs that; `buildIndexes` does the rest. Throws an Error with the
 * reason.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { now } = options;
  const opened = await openKv(options);
  const { kv, isRemote } = opened;
  const known = isRemote ? null : knownJobs(kv);
  const { parts, deepening, changes } = partsOf(opened, known, options);
  const close = () => {
    for (const one of [deepening, parts.committer, opened]) one.close();
  };
  const migration = migrationOf(opened, parts, options);
  try {
    if (opened.schema.pending !== undefined) await migrateBeforeUse(migration);
    await opened.adopt();
  } catch (error) {
    close();
    throw error;
  }
  const newSid = sidMaker(now);
  const { clock } = opened;
  const { awakeNow = clock.steadyNow } = options;
  const clocks = { now, steadyNow: clock.steadyNow };
  const context: StoreContext = {
    ...parts,
    limiters: (sid) => accounts.limiters(sid),
    stageCaused: (batch, caused) => stageCaused({ records, ...clocks, newSid }, batch, caused),
  };
  const accounts = accountTree(context);
  const records = Object.fromEntries(
    Object.entries(options.declarations ?? resources).map(([name, definition]) => [
      name,
      stored(definition, (as) => collection(context, name, as)),
    ]),
  ) as unknown as StoredRecords; // Object.fromEntries() forgets which name has which type.

  return {
    records,
    accounts,
    companions: companionStates(kv, { isShared: isRemote, now, awakeNow }),
    ledger: ledger(context),
    jobs: jobQueue(kv, parts.committer, clocks),
    stock: stock(kv),
    overview: overviewOf(opened, options.location),
    audio: audio(kv),
    sipTraces: sipTraces(opened.unlogged, clock.steadyNow),
    cookies: cookieStore({ kv: opened.unlogged, seal: context.seal, steadyNow: clock.steadyNow }),
    clock: watchedClock(clock, () => moveDatedJobs({ kv, committer: parts.committer }, clocks)),
    changes: feedOf(opened, { ...parts, records }, changes),
    async worker(handlers, ports) {
      const { committer } = parts;
      const queue = known === null
        ? sharedQueue(kv, committer, checksOf(opened))
        : ownQueue({ kv, committer, known });
      await queue.start(clock.steadyNow());
      // The wall clock may have been set while no process ran.
      if (!isRemote) await moveDatedJobs({ kv, committer }, clocks);
      const stage = (batch: Batch, also: AlsoWritten[]) => stageAlso(records, batch, also);
      const watched = isRemote ? kv : null;
      const { health } = opened;
      return worker({ watched, queue, committer, health, handlers, ports, stageAlso: stage });
    },
    reseal: (signal) => reseal(context, signal),
    async buildIndexes(signal) {
      await buildIndexes(migration, opened.adopt, signal);
      await deepening.idle(signal);
    },
    settle: () => parts.unwaited.settle(parts.committer.flush),
    close,
  };
}

/** A clock after whose steps of the wall clock `onSet` is done. */
function watchedClock({ steadyNow, look }: StoreClock, onSet: () => Promise<void>): StoreClock {
  let isDue = false;
  return {
    steadyNow,
    async look() {
      const byMs = await look();
      isDue ||= byMs !== 0;
      // If the store does not answer, the next look tries again.
      if (isDue) isDue = await onSet().then(() => false, () => true);
      return byMs;
    },
  };
}

/** The feed of changes: from this process's own commits, or from the log of a shared store. */
function feedOf(
  { unlogged, changeLog }: Opened,
  store: FeedStore,
  changes: RecentChanges | null,
): ChangeFeed {
  if (changes !== null) return ownFeed(store, changes);
  return sharedFeed({ ...store, kv: unlogged, changeLog: changeLog! }); // A remote store has one.
}

const overviewOf = ({ kv, health, isRemote }: Opened, location: string): StoreOverview => ({
  failure: health.failure,
  wellForMs: health.wellForMs,
  check: health.check,
  onChange: health.onChange,
  async statistics() {
    const { value } = await kv.get<Schema>(keys.version);
    const isFile = !isRemote && location !== ":memory:";
    return {
      kind: isRemote ? "shared" : isFile ? "file" : "memory",
      layout: value!.version, // An open store has one.
      bytes: isFile ? await sizeOf(location) : null,
      building: Object.keys(value!.building),
    };
  },
});

/** The bytes of a file of SQLite, with those of its write-ahead log. */
async function sizeOf(location: string): Promise<number> {
  const log = await Deno.stat(`${location}-wal`).catch(() => ({ size: 0 })); // There may be none.
  return (await Deno.stat(location)).size + log.size;
}

async function openKv(
  options: StoreOptions,
): Promise<Opened> {
  const { location, now, steadyNow = now } = options;
  const { narrowsIndex = true, declarations = resources, log = () => {} } = options;
  const { onStoreFailure: onFailure } = options;
  const isRemote = isRemoteLocation(location);
  const isFile = !isRemote && location !== ":memory:";
  const lock = isFile ? await lockFile(location) : undefined;
  const opened = await openLocation(location);
  if (opened.caution !== null) log(opened.caution);
  const health = storeHealth(opened, { now, steadyNow, isRemote, ...onFailure && { onFailure } });
  const wire = /^https?:/.test(location) ? promptWire(opened) : noWire;
  const unlogged = isRemote
    ? withDeadline(opened, limits.storeTimeoutMs, { wire, health })
    : health.watch(opened);
  const changes = isRemote
    ? changeLog(unlogged, {
      now: steadyNow,
      onError: (error) => log("Cannot watch which accounts are followed", { error }),
    })
    : undefined;
  const kv = isRemote ? withCommitLog(unlogged, changes?.stage) : unlogged;
  let fence: SchemaFence | undefined;
  const close = () => {
    health.close();
    fence?.close();
    changes?.close();
    kv.close();
    lock?.close();
  };
  try {
    if (isFile && narrowsIndex) narrowExpiryIndex(location);
    const schema = await changeSchema<Schema>(
      kv,
      (found) => nextSchema(found, declarations, isRemote),
    );
    const layouts = layoutsOf(schema);
    if (isRemote) {
      await sweepReceipts(kv, now());
      const onError = (error: unknown) => log("Cannot follow the layout of the store", { error });
      fence = schemaFence({ kv, layouts, declarations, onError });
    }
    const adopt = async () => {
      await fence?.refresh();
      const { value } = await kv.get<Schema>(keys.version);
      if (fence === undefined) layouts.adopt(value!); // Written above.
      return value!;
    };
    const clock = await storeClock(kv, { now, steadyNow }, {
      isShared: isRemote,
      // An edge platform starts instances all the time, on clocks of its own.
      waits: isRemote && location !== "",
    });
    return {
      kv,
      unlogged,
      health,
      isRemote,
      clock,
      schema,
      layouts,
      fence,
      changeLog: changes,
      adopt,
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

function migrationOf(
  opened: Opened,
  { committer, seal, cache }: Pick<StoreContext, "committer" | "seal" | "cache">,
  { log = () => {}, declarations = resources, progress = () => {} }: StoreOptions,
): Migration {
  const { kv, layouts, isRemote: isShared } = opened;
  const checks = checksOf(opened);
  return { kv, committer, layouts, declarations, seal, cache, log, isShared, checks, progress };
}
