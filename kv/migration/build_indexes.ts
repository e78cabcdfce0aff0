/**
 * Each record is added once, while writers go on: counters are sums, and adding twice spoils them. The
 * entry itself is the mark. The indexes under construction of a resource have all entries of a record or
 * none; the pass skips a record whose entry is there and checks the record in its commit; a writer of a
 * record without the entry writes it as new, and checks that it is still missing.
 */
import { limits } from "../../core/base/limits.ts";
import { stageIndexes } from "../records/indexes.ts";
import { entryOfUnfinished, type LayoutState } from "../records/layouts.ts";
import type { Building, Schema } from "../records/schema.ts";
import { type Batch, emptyBatch } from "../store/batch.ts";
import { keys, ordOf, type Place } from "../store/keys.ts";
import { countNext, uncountedIn } from "./count_full.ts";
import { type Lease, takeLease } from "./lease.ts";
import {
  accountsOf,
  deleteRange,
  type Migration,
  pause,
  type Records,
  recordsOf,
} from "./migration.ts";
import { type Passed, passRecords } from "./pass_records.ts";
import type { KeyValueStore, KvListSelector } from "../store/key_value_store.ts";

/**
 * Builds the indexes that do not cover all records, one resource after the other, while the store
 * is used. Then it builds the finer counters that a former version did not write; `adopt` takes
 * each new description. Writers write the entries of their records, so each record is added once:
 * by the next write of it, or here. Rejects with the reason of the signal; the next call goes on
 * from there.
 */
export async function buildIndexes(
  migration: Migration,
  adopt: () => Promise<Schema>,
  signal: AbortSignal,
): Promise<void> {
  while (true) {
    try {
      return await buildAll(migration, adopt, signal);
    } catch (error) {
      signal.throwIfAborted();
      migration.log("Cannot build an index now; it is tried again", { error: String(error) });
      await pause(limits.migrationLeaseMs, signal);
    }
  }
}

async function buildAll(
  migration: Migration,
  adopt: () => Promise<Schema>,
  signal: AbortSignal,
): Promise<void> {
  const isWanted = async () => {
    const schema = await adopt();
    return next(migration, schema) !== null || uncountedIn(migration, schema) !== undefined;
  };
  const lease = await takeLease(migration, isWanted, signal);
  if (lease === null) return;
  try {
    while (true) {
      signal.throwIfAborted();
      const schema = await adopt();
      const found = next(migration, schema);
      if (found !== null) await build(migration, { ...found, lease, schema, signal, adopt });
      else if (!await countNext(migration, { lease, schema, signal })) return;
    }
  } finally {
    await lease.release().catch((error) => migration.log("Cannot end the migration", { error }));
  }
}

/** The next resource to build. Those that only another program declares are left to it. */
function next(
  { declarations }: Migration,
  { building }: Schema,
): { name: string; building: Building } | null {
  const found = Object.entries(building).find(([name]) => declarations[name] !== undefined);
  return found === undefined ? null : { name: found[0], building: found[1] };
}

interface Build {
  name: string;
  building: Building;
  lease: Lease;
  schema: Schema;
  signal: AbortSignal;
  adopt(): Promise<Schema>;
}

async function build(migration: Migration, work: Build): Promise<void> {
  const { name, building, lease, schema: { fields }, signal } = work;
  if (!building.isCleared) {
    await clearFields(migration, work);
    await settle(migration, work, { ...building, isCleared: true });
    return;
  }
  const state = migration.layouts.of(name);
  const isOfRecords = state.unfinished.length > 0 ||
    state.written.dates.some(({ field }) => building.fields.includes(field));
  if (!isOfRecords) return await settle(migration, work, null);
  const task = `index ${name} ${building.fields.join(" ")}`;
  for (const { sid: account, number } of await accountsOf(migration.kv)) {
    const { cursor } = lease;
    if (cursor?.task === task && account < cursor.account) continue;
    const records = recordsOf(migration, { number, name, fields });
    if (records === null) continue;
    const isCurrent = () => migration.layouts.of(name) === state;
    const stage = (batch: Batch, passed: Passed) => {
      if (batch.premises.length === 0) batch.premises.push(isCurrent);
      return stageUnfinished(migration.kv, batch, { ...passed, records, state });
    };
    const isDone = await passRecords(migration, {
      lease,
      task,
      account,
      records,
      stage,
      mayGoOn() {
        signal.throwIfAborted();
        return isCurrent();
      },
    });
    if (!isDone) return; // Another program has declared more: it is begun anew.
  }
  await settle(migration, work, null);
}

/** Removes what an earlier index of these fields left. */
async function clearFields(migration: Migration, work: Build): Promise<void> {
  const { kv, isShared } = migration;
  const { name, building, lease, schema: { fields }, signal } = work;
  const places = (await accountsOf(kv)).flatMap(({ number }) =>
    recordsOf(migration, { number, name, fields })?.place ?? []
  );
  const ranges = places.flatMap((place) =>
    building.fields.map((field) => ({
      start: keys.field({ ...place, field }),
      end: keys.field({ ...place, field: `${field}\0` }),
    }))
  );
  // Lists of another service may read these indexes until it has looked for a change.
  if (isShared && await holdsAny(kv, ranges)) await pause(3 * limits.layoutPollMs, signal);
  const commit = (batch: Batch) => {
    signal.throwIfAborted();
    return lease.commit(batch, lease.cursor);
  };
  for (const place of places) await clearDepths(kv, place, { fields: building.fields, commit });
  for (const range of ranges) {
    await deleteRange(kv, range, { limit: limits.clearedAtOnce, commit });
  }
}

/** Removes the notes of how deep values of some fields are counted, with their counters. */
async function clearDepths(
  kv: KeyValueStore,
  place: Place,
  { fields, commit }: { fields: string[]; commit(batch: Batch): Promise<boolean> },
): Promise<void> {
  let batch = emptyBatch();
  for await (const { key } of kv.list(keys.allDepths(place))) {
    if (!fields.includes(String(key[3]))) continue;
    batch.deletes.push(key);
    if (batch.deletes.length < limits.clearedAtOnce) continue;
    await commit(batch);
    batch = emptyBatch();
  }
  if (batch.deletes.length > 0) await commit(batch);
}

async function holdsAny(kv: KeyValueStore, ranges: KvListSelector[]): Promise<boolean> {
  for (const range of ranges) {
    if ((await Array.fromAsync(kv.list(range, { limit: 1 }))).length > 0) return true;
  }
  return false;
}

/** Writes how far the building of a resource is; null when it is done. */
async function settle(
  { kv }: Migration,
  { name, building: { fields }, lease, adopt }: Build,
  building: Building | null,
): Promise<void> {
  while (true) {
    const entry = await kv.get<Schema>(keys.version);
    const schema = entry.value!; // Written at opening.
    const { [name]: present, ...others } = schema.building;
    // Another program may have added fields, which begins anew.
    if (JSON.stringify(present?.fields) !== JSON.stringify(fields)) break;
    const batch = emptyBatch();
    batch.checks.push(entry);
    const value = { ...schema, building: building ? { ...others, [name]: building } : others };
    batch.sets.push({ key: keys.version, value });
    if (await lease.commit(batch, null)) break;
  }
  await adopt();
}

/** Stages the entries of a record in the unfinished indexes, if they do not have it yet. */
async function stageUnfinished(
  kv: KeyValueStore,
  batch: Batch,
  { records: { place, codec }, entry, record, state }: Passed & {
    records: Records;
    state: LayoutState;
  },
): Promise<void> {
  const { written, unfinished } = state;
  const ord = ordOf(record.sid);
  const key = entryOfUnfinished({ place, unfinished, ord }, record);
  if (key !== null && (await kv.get(key)).versionstamp !== null) return;
  const layout = { ...written, indexes: unfinished };
  stageIndexes(batch, { place, ord, layout }, { after: record });
  // The values of the index are those of the stored record from now on, whatever defaults become.
  if (codec.form(entry) === "short") {
    batch.sets.push({ key: entry.key, value: codec.encode(record) });
  }
}
