import { deepen } from "../counters/deepen.ts";
import { isCountedDeeper, leastDepth } from "../records/layout.ts";
import type { Schema } from "../records/schema.ts";
import { emptyBatch, keyText } from "../store/batch.ts";
import { fullBucket, spanOf, windowLevel } from "../store/counters.ts";
import { keys, ordAt, type Place, sidOf } from "../store/keys.ts";
import type { Lease } from "./lease.ts";
import { accountsOf, type Migration, pause, type Records, recordsOf } from "./migration.ts";
import type { KeyValueStore, KvKey, KvU64 } from "../store/key_value_store.ts";

interface Work {
  lease: Lease;
  schema: Schema;
  signal: AbortSignal;
}

/** A resource that this program declares, and that may have full buckets without finer counters. */
export const uncountedIn = (
  { declarations }: Migration,
  { uncounted = [] }: Schema,
): string | undefined => uncounted.find((name) => declarations[name] !== undefined);

/**
 * Makes the counters of one resource finer where a former version left full buckets, while the
 * store is used. False when no resource is left. An interrupted run begins the resource again, and
 * recognizes counted buckets.
 */
export async function countNext(migration: Migration, work: Work): Promise<boolean> {
  const { lease, schema, signal } = work;
  const name = uncountedIn(migration, schema);
  if (name === undefined) return false;
  const counting = { ...migration, isComplete: () => true }; // Indexes are built before.
  for (const { number } of await accountsOf(migration.kv)) {
    const records = recordsOf(migration, { number, name, fields: schema.fields });
    if (records === null) continue;
    for await (const window of fullWindows(migration.kv, records.place)) {
      signal.throwIfAborted();
      const values = await valuesIn(migration, records, { window, signal });
      for (const value of values) {
        const stretch = { value, window, depth: leastDepth(String(value[2])) };
        await deepen(counting, stretch, (ms) => pause(ms, signal));
      }
      migration.progress({ task: "counters", resource: name, done: values.length });
    }
  }
  migration.progress({ task: "counters", resource: name, done: 0 });
  await settle(migration, lease, name);
  return true;
}

/** The windows with many records. */
async function* fullWindows(kv: KeyValueStore, place: Place): AsyncGenerator<number> {
  const all = keys.value({ ...place, field: "" }, "");
  const prefix = [...all, BigInt(windowLevel.level)];
  for await (const { key, value: { value: count } } of kv.list<KvU64>({ prefix })) {
    if (count >= fullBucket) yield Number(key.at(-1));
  }
}

/** Rows of the table by which values are found that many records have. */
const tableSize = 2 ** 20;

/** The keys of the values that many records of a window have, and perhaps of some others. */
async function valuesIn(
  { kv, layouts, log }: Migration,
  { place, name, codec }: Records,
  { window, signal }: { window: number; signal: AbortSignal },
): Promise<KvKey[]> {
  const { indexes } = layouts.of(name).complete;
  const found = new Map<string, KvKey>();
  const table = new Uint16Array(tableSize);
  const { from, before } = spanOf(window, windowLevel);
  const all = { ...place, field: "" };
  const range = {
    start: keys.entry(all, "", ordAt(from)),
    end: keys.entry(all, "", ordAt(before)),
  };
  for await (const entry of kv.list<unknown>(range, { batchSize: 200 })) {
    signal.throwIfAborted();
    try {
      const record = codec.decode(entry);
      for (const { field, valueOf } of indexes) {
        const value = valueOf(record);
        const key = value === null ? null : keys.value({ ...place, field }, value);
        if (key === null || !isCountedDeeper(key)) continue;
        const text = keyText(key);
        const row = rowOf(text);
        // Whichever value fills a row comes again, if it is the one with many records.
        if (table[row]! >= fullBucket - 1) found.set(text, key);
        else table[row]!++;
      }
    } catch (error) {
      signal.throwIfAborted();
      log("Cannot read a record", { sid: sidOf(place.prefix, entry.key), error: String(error) });
    }
  }
  return [...found.values()];
}

/** The row of a text, by FNV-1a: texts that share one cost a look at their counters. */
function rowOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash ^ hash >>> 20) >>> 0 & tableSize - 1;
}

/** Writes that a resource is done. */
async function settle({ kv }: Migration, lease: Lease, name: string): Promise<void> {
  while (true) {
    const entry = await kv.get<Schema>(keys.version);
    const { uncounted = [], ...schema } = entry.value!; // Written at opening.
    const left = uncounted.filter((one) => one !== name);
    const batch = emptyBatch();
    batch.checks.push(entry);
    const value: Schema = left.length === 0 ? schema : { ...schema, uncounted: left };
    batch.sets.push({ key: keys.version, value });
    if (await lease.commit(batch, null)) return;
  }
}
