import { limits } from "../core/base/limits.ts";
import type { StoreFailure } from "../core/base/store_failure.ts";
import { resources } from "../core/model/resources/mod.ts";
import type { ChangeLog } from "./changes/change_log.ts";
import { recentChangeBytes, type RecentChanges, recentChanges } from "./changes/recent_changes.ts";
import { counterCache } from "./cache/counter_cache.ts";
import { type DepthCache, depthCache } from "./cache/depth_cache.ts";
import { listStates } from "./cache/list_states.ts";
import { pageCache } from "./cache/page_cache.ts";
import { recentEntries, recentEntryBytes } from "./cache/recent_entries.ts";
import { recordCache, type RecordCacheOptions } from "./cache/record_cache.ts";
import { runCache } from "./cache/run_cache.ts";
import { accountFacts } from "./collections/accounts.ts";
import { limitUses } from "./collections/limit_uses.ts";
import type { StoreContext } from "./collections/store_context.ts";
import type { KnownJobs } from "./jobs/known_jobs.ts";
import { type Deepener, deepener } from "./counters/deepener.ts";
import { type SchemaFence } from "./migration/schema_fence.ts";
import type { Layouts } from "./records/layouts.ts";
import type { Declarations, Schema } from "./records/schema.ts";
import type { Ports } from "../core/model/ports/ports.ts";
import { type CommitDepths, committer, type CommitterOptions } from "./store/commit.ts";
import { mergedReader, type Read } from "./store/reader.ts";
import { noReceipt, receiptOf } from "./store/receipt.ts";
import { sealer } from "./store/seal.ts";
import type { StoreClock } from "./store/store_clock.ts";
import { committing, type StoreHealth } from "./store/store_health.ts";
import { unwaited } from "./store/unwaited.ts";
import type { KeyValueStore, KvKey } from "./store/key_value_store.ts";

/**
 * Commits to a remote store that are under way at once: each takes the way there and back, and the
 * store merges what comes together.
 */
const writersOfRemote = 8;

/**
 * The most checks of one commit beside those that a store of several processes needs: the fence's, and
 * that of `withCommitLog`.
 */
export const checksOf = ({ kv, isRemote }: Pick<Opened, "kv" | "isRemote">): number =>
  kv.mostChecks - (isRemote ? 2 : 0);

/** Dependencies and options of a store, beside its handle. */
export interface PartsOptions extends RecordCacheOptions {
  secretKey: string;
  /** A second key that only opens sealed texts; new ones are sealed with `secretKey`. */
  otherKey?: string;
  /** The wall clock, in ms. */
  now(): number;
  /** A monotonic clock, in ms; the wall clock unless given. */
  steadyNow?(): number;
  /**
   * A monotonic clock without the spans in which this process was suspended, in ms. Default:
   * `steadyNow`.
   */
  awakeNow?(): number;
  /** Logs records that cannot be read. Absent: no log. */
  log?: Ports["log"];
  /** Declares records and indexes; the resources of the program unless given. */
  declarations?: Declarations;
  /** Called with the kind of each write that failed for the store's sake. */
  onStoreFailure?(kind: StoreFailure["kind"]): void;
  /** Called after each commit with its outcome and its duration in ms. */
  onCommit?: CommitterOptions["onCommit"];
}

/** A KV handle whose schema fits this program. */
export interface Opened {
  kv: KeyValueStore;
  /** The same for what no backup has, and what expires. */
  unlogged: KeyValueStore;
  /** The state of its writes. */
  health: StoreHealth;
  /** The store is a server that other processes may use as well. */
  isRemote: boolean;
  clock: StoreClock;
  schema: Schema;
  layouts: Layouts;
  /** Only for a remote store, as is the next one. */
  fence: SchemaFence | undefined;
  changeLog: ChangeLog | undefined;
  /** Reads the present description of the store, and follows it from now on. */
  adopt(): Promise<Schema>;
  close(): void;
}

/** The modules that the collections share, and the one that adds finer counters. */
interface Parts {
  parts: Omit<StoreContext, "stageCaused" | "limiters">;
  deepening: Deepener;
  /** Null for a store that other processes write to. */
  changes: RecentChanges | null;
}

/**
 * The modules of an open store. `known`: the jobs of an embedded file. A remote store has no caches
 * of lists and counters: other processes write to it as well.
 */
export function partsOf(
  opened: Opened,
  known: KnownJobs | null,
  { secretKey, otherKey, now, log = () => {}, onCommit, declarations = resources, ...caching }:
    PartsOptions,
): Parts {
  const { kv, isRemote, health, clock: { steadyNow }, schema: { fields }, layouts, fence } = opened;
  const merged = mergedReader(kv);
  const recent = isRemote ? null : recentEntries(merged, recentEntryBytes);
  // Within `patiently` a read waits for the store; those merged with it do not.
  const patient: Read = (key) => committing(health, () => merged(key));
  const read = recent?.read ?? patient;
  const changes = isRemote ? null : recentChanges(recentChangeBytes);
  const counters = isRemote ? null : counterCache(limits.cachedCounters);
  const states = isRemote ? null : listStates();
  const runs = isRemote ? null : runCache(limits.recentRunBytes);
  const depths = depthCache(kv, {
    isShared: isRemote,
    onFull: (value, window) => deepening.look(value, window),
  });
  if (fence !== undefined) fence.onChange = depths.clear;
  const receipt = () => kv.repeatsCommits ? receiptOf(kv, { now, steadyNow }) : noReceipt;
  const commits = committer(kv, {
    checks: checksOf(opened),
    ...isRemote && { receipts: Array.from({ length: writersOfRemote }, receipt) },
    versions: isRemote,
    health,
    ...(fence && { fence }),
    ...!isRemote && { followers: [known, recent, counters, changes].filter((one) => one !== null) },
    depths: watched(depths, () => deepening),
    limits: limitUses({ read, now, steadyNow }),
    lists: [states, runs].filter((one) => one !== null),
    ...(onCommit && { onCommit }),
  });
  const deepening = deepener(
    {
      kv,
      committer: commits,
      isShared: isRemote,
      isComplete: completeness(layouts, declarations),
    },
    (error) => log("Cannot make counters finer now; it is tried again", { error }),
  );
  const parts = {
    kv,
    read,
    committer: commits,
    unwaited: unwaited(),
    seal: sealer(secretKey, otherKey),
    cache: recordCache(limits.recentRecordBytes, caching),
    pages: isRemote ? pageCache(read, limits.recentPageBytes) : null,
    counters,
    depths,
    states,
    runs,
    fields,
    layouts,
    now,
    steadyNow,
    log,
    ...accountFacts(kv),
  };
  return { parts, deepening, changes };
}

/** The depths of a store for its committer, whose commits show which values have many entries. */
const watched = (depths: DepthCache, deepening: () => Deepener): CommitDepths => ({
  depthIn: depths.depthIn,
  load: depths.load,
  made(batch, moved) {
    depths.made(batch, moved);
    deepening().made(moved);
  },
  doubt: depths.doubt,
});

/**
 * Returns whether the index of a value has all entries, and is not being removed or built, by its
 * key.
 */
function completeness(layouts: Layouts, declarations: Declarations) {
  const names = new Map(
    Object.entries(declarations).map(([name, { sidPrefix, storedAs }]) =>
      [storedAs ?? sidPrefix, name] as const
    ),
  );
  return ([, prefix, field]: KvKey): boolean => {
    const name = names.get(String(prefix));
    return name !== undefined && !layouts.of(name).missing.has(String(field));
  };
}
