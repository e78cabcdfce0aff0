import { keys, ordAt, sidOf } from "../store/keys.ts";
import { type Batch, emptyBatch } from "../store/batch.ts";
import type { AnyRecord } from "../../core/model/resource.ts";
import { limits } from "../../core/base/limits.ts";
import type { Cursor, Lease } from "./lease.ts";
import { isFull, type Migration, type Records } from "./migration.ts";
import type { KeyValueStore, KvEntry } from "../store/key_value_store.ts";

/** A record with its entry in the store. */
export interface Passed {
  entry: KvEntry<unknown>;
  record: AnyRecord;
}

/** Steps of a pass. */
export interface Pass {
  lease: Lease;
  task: string;
  account: string;
  records: Records;
  /** Decodes the records; the codec of `records` unless given. */
  decode?(entry: Passed["entry"]): AnyRecord;
  /** Asked before each read; false where the pass must end. */
  mayGoOn?(): boolean;
  /** Stages what a record needs. The batch is committed only if the record is unchanged then. */
  stage(batch: Batch, passed: Passed): Promise<void>;
}

/**
 * Goes through the records of a resource in one account, oldest first, from the cursor on. Records
 * that are written meanwhile are read again. A record that cannot be read is logged and left out.
 * False when it did not reach the end.
 */
export async function passRecords(migration: Migration, pass: Pass): Promise<boolean> {
  const { lease } = pass;
  while (true) {
    if (pass.mayGoOn?.() === false) return false;
    const { after, done } = cursorIn(pass);
    const entries = await recordsAfter(migration.kv, pass.records, after);
    if (entries.length === 0) return true;
    let batch = emptyBatch();
    for (const [at, entry] of entries.entries()) {
      await stageOne(migration, pass, { batch, entry });
      if (!isFull(migration, batch) && at < entries.length - 1) continue;
      const cursor = { ...cursorIn(pass), after: entry.key[2] as Uint8Array, done: done + at + 1 };
      if (!await lease.commit(batch, cursor)) break; // It is read again from the last commit on.
      migration.progress({ task: pass.task, resource: pass.records.name, done: cursor.done });
      batch = emptyBatch();
    }
  }
}

/** The cursor of a pass; that of an earlier place counts on. */
function cursorIn({ lease: { cursor }, task, account, records: { name: resource } }: Pass): Cursor {
  const isHere = cursor?.task === task && cursor.account === account &&
    cursor.resource === resource;
  return isHere
    ? cursor
    : { task, account, resource, done: cursor?.task === task ? cursor.done : 0 };
}

async function recordsAfter(
  kv: KeyValueStore,
  { place }: Records,
  after: Uint8Array | undefined,
): Promise<KvEntry<unknown>[]> {
  const all = { ...place, field: "" };
  const first = keys.entry(all, "", after ?? ordAt(-Infinity));
  const range = {
    start: after === undefined ? first : [...first, 0n],
    end: keys.entry(all, "", ordAt(Infinity)),
  };
  return await Array.fromAsync(kv.list(range, { limit: limits.migratedAtOnce }));
}

async function stageOne(
  { log }: Migration,
  { records: { codec, place }, decode = codec.decode, stage }: Pass,
  { batch, entry }: { batch: Batch; entry: KvEntry<unknown> },
): Promise<void> {
  let record: AnyRecord;
  try {
    record = decode(entry);
  } catch (error) {
    log("Cannot read a record", { sid: sidOf(place.prefix, entry.key), error: String(error) });
    return;
  }
  const checks = batch.checks.length;
  const writes = batch.sets.length + batch.counts.size + batch.raises.size;
  await stage(batch, { entry, record });
  const isChanged = batch.sets.length + batch.counts.size + batch.raises.size > writes ||
    batch.checks.length > checks;
  if (isChanged) batch.checks.push({ key: entry.key, versionstamp: entry.versionstamp });
}
