/**
 * Migrations rebuild: one pass writes the entries of a record as a write of it would, so that all former
 * layouts take the same code; a step for each pair of layouts was refused. Records are the truth, and
 * counters and entries follow.
 *
 * Counters, groups, unique values and sort orders are complete before the service answers, since nothing
 * can stand in for them. Indexes of filters are built while it does (`build_indexes.ts`): until then a list
 * reads the records, up to 50,000 of an account, and a longer one answers 503 and names the filter.
 */
import { limits } from "../../core/base/limits.ts";
import type { AnyRecord, AnyResource } from "../../core/model/resource.ts";
import { sidTime } from "../../core/base/sid.ts";
import { stageGlobals } from "../records/indexes.ts";
import { leastDepth } from "../records/layout.ts";
import type { Pending, Schema } from "../records/schema.ts";
import { stageSorted } from "../records/sorted.ts";
import { type Batch, emptyBatch } from "../store/batch.ts";
import { bucketAt, levels } from "../store/counters.ts";
import { type IndexValue, keys, type Place, sidOf } from "../store/keys.ts";
import { type Lease, takeLease } from "./lease.ts";
import { accountsOf, deleteRange, type Migration, type Records, recordsOf } from "./migration.ts";
import { type Passed, passRecords } from "./pass_records.ts";
import {
  type KeyValueStore,
  type KvKey,
  type KvListSelector,
  KvU64,
} from "../store/key_value_store.ts";

const task = "layout";

/**
 * Does the work that a store needs before it is used. From the layouts before version 4, it writes
 * the counters of all records anew and removes every other index entry, which `buildIndexes`
 * replaces. Groups, unique values and sort orders get their missing entries. It goes on from where
 * an interrupted one ended.
 */
export async function migrateBeforeUse(migration: Migration): Promise<Schema> {
  const { kv } = migration;
  const read = async () => (await kv.get<Schema>(keys.version)).value!; // Written at opening.
  const isWanted = async () => (await read()).pending !== undefined;
  const lease = await takeLease(migration, isWanted);
  if (lease === null) return await read();
  const schema = await read();
  if (schema.pending !== undefined) {
    await work(migration, { lease, schema, pending: schema.pending });
  }
  while (true) {
    const entry = await kv.get<Schema>(keys.version);
    const { pending: _, ...done } = entry.value!; // Written at opening.
    const batch = emptyBatch();
    batch.checks.push(entry);
    batch.sets.push({ key: keys.version, value: done });
    if (!await lease.commit(batch, null)) continue;
    await lease.release();
    return done;
  }
}

interface Work {
  lease: Lease;
  schema: Schema;
  pending: Pending;
}

async function work(migration: Migration, { lease, schema, pending }: Work): Promise<void> {
  const { kv } = migration;
  const isFormer = pending.from < 5; // Its records and lookups have other forms.
  // Other services may look up groups of a shared store. In a file, groups that were not declared
  // for a while have entries of then.
  const clearsGroups = isFormer || !migration.isShared;
  if (clearsGroups && lease.cursor === null) await clearGroups(migration, lease, pending);
  for (const { sid: account, number, tenant } of await accountsOf(kv)) {
    for (const name of pending.resources) {
      const records = recordsOf(migration, { number, name, fields: schema.fields });
      if (records === null || isBefore({ account, name }, lease, pending)) continue;
      const isBegun = lease.cursor?.account === account && lease.cursor.resource === name;
      if (!isBegun) {
        if (pending.from < 4) await recount(migration, lease, records);
        else if (pending.reordered.includes(name)) {
          await clear(migration, lease, orderOf(records.place));
        }
      }
      const { codec } = records;
      const stage = async (batch: Batch, { entry, record }: Passed) => {
        if (isFormer && codec.form(entry) === "named") {
          batch.sets.push({ key: entry.key, value: codec.encode(record) });
        }
        await stageLookups(kv, batch, { ...records, tenant }, record);
      };
      const decode = isFormer ? codec.decodeWhole : codec.decode;
      await passRecords(migration, { lease, task, account, records, decode, stage });
    }
  }
}

/** Returns whether the cursor of a lease is behind a place. */
function isBefore(
  { account, name }: { account: string; name: string },
  { cursor }: Lease,
  { resources }: Pending,
): boolean {
  if (cursor === null) return false;
  if (account !== cursor.account) return account < cursor.account;
  return resources.indexOf(name) < resources.indexOf(cursor.resource);
}

async function clear(
  { kv }: Migration,
  lease: Lease,
  range: KvListSelector,
): Promise<void> {
  const commit = (batch: Batch) => lease.commit(batch, lease.cursor);
  await deleteRange(kv, range, { limit: limits.clearedAtOnce, commit });
}

async function clearGroups(
  migration: Migration,
  lease: Lease,
  { resources }: Pending,
): Promise<void> {
  for (const [name, definition] of Object.entries<AnyResource>(migration.declarations)) {
    if (!resources.includes(name)) continue;
    const { storedAs, sidPrefix } = definition;
    await clear(migration, lease, { prefix: keys.groups(storedAs ?? sidPrefix) });
  }
}

/** The entries of a resource in its sort order. */
const orderOf = (place: Place): KvListSelector => ({
  start: keys.order(place),
  end: keys.afterOrder(place),
});

/** Removes everything beside the records of a place, and counts them. */
async function recount(
  migration: Migration,
  lease: Lease,
  { place, name }: Records,
): Promise<void> {
  const { kv, progress } = migration;
  const { account, prefix } = place;
  await clear(migration, lease, { start: [account, prefix, ""], end: keys.afterOrder(place) });
  const counts = new Map<string, { key: KvKey; count: bigint }>();
  const all = { ...place, field: "", value: "" as IndexValue };
  for await (const { key } of kv.list({ start: [account, prefix], end: [account, prefix, ""] })) {
    const ms = sidTime(sidOf(prefix, key));
    for (const level of levels.slice(0, leastDepth(""))) {
      const bucket = bucketAt(ms, level);
      const id = `${level.level} ${bucket}`;
      const before = counts.get(id);
      if (before === undefined) {
        counts.set(id, { key: keys.counter(all, level.level, bucket), count: 1n });
      } else before.count++;
    }
  }
  const counters = [...counts.values()];
  for (let at = 0; at < counters.length; at += limits.clearedAtOnce) {
    const batch = emptyBatch();
    for (const { key, count } of counters.slice(at, at + limits.clearedAtOnce)) {
      batch.sets.push({ key, value: new KvU64(count) });
    }
    await lease.commit(batch, lease.cursor);
    progress({ task, resource: name, done: lease.cursor?.done ?? 0 });
  }
}

/** Stages the entries by which a record is looked up in the whole service, and its sort order. */
async function stageLookups(
  kv: KeyValueStore,
  batch: Batch,
  { place, definition, tenant }: Records & { tenant: string },
  record: AnyRecord,
): Promise<void> {
  const { sorted } = definition;
  if (sorted) stageSorted(batch, { place, sorted }, { after: record });
  const staged = emptyBatch();
  stageGlobals(staged, definition, { after: record }, tenant);
  for (const { key, value } of staged.sets) {
    const check = staged.checks.find((one) => one.key === key);
    if (check !== undefined) { // A unique value; the first record with it has it.
      if ((await kv.get(key)).versionstamp !== null) continue;
      batch.checks.push(check);
    }
    batch.sets.push({ key, value });
  }
}
