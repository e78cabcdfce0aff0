import { tenantOf } from "../../core/accounts/tenant.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import type { AnyRecord, AnyResource } from "../../core/model/resource.ts";
import { completing } from "../records/absent_fields.ts";
import type { Layouts } from "../records/layouts.ts";
import { type RecordCodec, recordCodec } from "../records/record_codec.ts";
import type { Declarations, Schema } from "../records/schema.ts";
import type { RecordCache } from "../cache/record_cache.ts";
import { type Batch, emptyBatch } from "../store/batch.ts";
import type { Committer } from "../store/commit.ts";
import { keys, type Place } from "../store/keys.ts";
import { mapFields, type Seal } from "../store/seal.ts";
import type { KeyValueStore, KvListSelector } from "../store/key_value_store.ts";

/** The modules of a store that a migration works on. */
export interface Migration {
  kv: KeyValueStore;
  committer: Committer;
  layouts: Layouts;
  declarations: Declarations;
  seal: Seal;
  cache: RecordCache;
  log: Ports["log"];
  /** Other services may use the store. */
  isShared: boolean;
  /** The most checks of one commit. */
  checks: number;
  /** Called after each commit of a migration. */
  progress(progress: Progress): void;
}

/** The state of a migration, as its commits reach it. */
export interface Progress {
  task: string;
  resource: string;
  /** Records that the task has passed. */
  done: number;
}

/** The records of one resource in one account. */
export interface Records {
  place: Place;
  name: string;
  definition: AnyResource;
  codec: RecordCodec;
}

/** An account's Sid, the number that replaces it in keys, and its tenant. */
export interface NumberedAccount {
  sid: string;
  number: bigint;
  tenant: string;
}

/** The part of a stored account that a migration reads. */
interface StoredAccount {
  number: bigint;
  account: Parameters<typeof tenantOf>[0];
}

/** All accounts in the order of their Sids. */
export async function accountsOf(kv: KeyValueStore): Promise<NumberedAccount[]> {
  const accounts: NumberedAccount[] = [];
  for await (const { key, value } of kv.list<StoredAccount>({ prefix: keys.accounts })) {
    const { number, account } = value;
    accounts.push({ sid: String(key[1]), number, tenant: tenantOf(account) });
  }
  return accounts;
}

/**
 * The records of a resource, with the prefix that they are stored under. Their secrets stay sealed:
 * no index is about them, and a migration needs no key for what is there.
 */
export function recordsOf(
  { declarations, seal, cache }: Migration,
  { number, name, fields }: { number: bigint; name: string; fields: Schema["fields"] },
): Records | null {
  const declaration = declarations[name];
  if (declaration === undefined) return null;
  const sidPrefix = declaration.storedAs ?? declaration.sidPrefix;
  const definition: AnyResource = { ...declaration, sidPrefix };
  const secrets: string[] = definition.secret ?? [];
  const completed = completing(definition);
  const complete = (record: AnyRecord) =>
    mapFields(completed(record), secrets.filter((name) => record[name] === undefined), seal.seal);
  const codec = recordCodec({ fields: fields[name] ?? [], secret: [], seal, cache, complete });
  return { place: { account: number, prefix: sidPrefix }, name, definition, codec };
}

/**
 * Writes a description to the store where `change` makes another one; returns the present one.
 * Throws while a restore fills the store.
 */
export async function changeSchema<S>(
  kv: KeyValueStore,
  change: (found: S | null) => Schema,
): Promise<Schema> {
  while (true) {
    const entry = await kv.get<S>(keys.version);
    const restoring = await kv.get(keys.restoring);
    if (restoring.versionstamp !== null) {
      throw new Error(
        "Cannot open the store: a restore into it is under way or was cut off. After a cut, begin " +
          "it again by deno task restore --again FILE",
      );
    }
    const schema = change(entry.value);
    if (schema as unknown === entry.value) return schema;
    // Another instance may open the store at the same time, or a restore begin.
    const { ok } = await kv.atomic().check(entry, restoring).set(entry.key, schema).commit();
    if (ok) return schema;
  }
}

/** The most writes of one commit; Deno KV takes 1000. */
const mostWrites = 400;

/** Returns whether a batch should be committed before more is staged. */
export function isFull({ checks }: Migration, batch: Batch): boolean {
  let writes = batch.sets.length + batch.deletes.length + batch.raises.size;
  for (const { depth, buckets } of batch.counts.values()) writes += depth * buckets.size;
  return batch.checks.length >= checks - 3 || writes >= mostWrites;
}

/** Deletes all keys of a range, in commits of their own; `commit` returns false to try again. */
export async function deleteRange(
  kv: KeyValueStore,
  range: KvListSelector,
  { limit, commit }: { limit: number; commit(batch: Batch): Promise<boolean> },
): Promise<void> {
  while (true) {
    const found = await Array.fromAsync(kv.list(range, { limit }));
    if (found.length === 0) return;
    const batch = emptyBatch();
    batch.deletes.push(...found.map(({ key }) => key));
    await commit(batch);
  }
}

/** Waits; rejects with the reason of the signal. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const stop = () => reject(signal?.reason);
  signal?.addEventListener("abort", stop, { once: true });
  await promise.finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  });
}
