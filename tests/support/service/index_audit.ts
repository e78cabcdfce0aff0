import assert from "node:assert/strict";
import { tenantOf } from "../../../core/accounts/tenant.ts";
import { sidTime } from "../../../core/base/sid.ts";
import type { AnyRecord, AnyResource } from "../../../core/model/resource.ts";
import { resources } from "../../../core/model/resources/mod.ts";
import { recordCache } from "../../../kv/cache/record_cache.ts";
import { completing } from "../../../kv/records/absent_fields.ts";
import { isWithoutEnd, lackingOf, layoutOf } from "../../../kv/records/layout.ts";
import { type RecordCodec, recordCodec } from "../../../kv/records/record_codec.ts";
import type { Declarations, Schema } from "../../../kv/records/schema.ts";
import { keyText } from "../../../kv/store/batch.ts";
import { bucketAt, levels, windowAt } from "../../../kv/store/counters.ts";
import { type DepthNote, keys, ordOf, type Place } from "../../../kv/store/keys.ts";
import { sealer } from "../../../kv/store/seal.ts";
import { openDenoKv } from "../../../kv/engines/deno_kv.ts";
import { type KeyValueStore, type KvKey, KvU64 } from "../../../kv/store/key_value_store.ts";

/** The part of a stored account that is read here. */
interface StoredAccount {
  number: bigint;
  account: Parameters<typeof tenantOf>[0];
}

/** The entries of one resource beside its records: those of indexes, and counters above 0. */
interface Beside {
  entries: Set<string>;
  counters: Map<string, number>;
  /** Depth of values beyond the levels of their index, by the texts of the notes' keys. */
  depths: Map<string, DepthNote>;
}

/**
 * Reads a store in a file that no service has open. Asserts that its index entries, sort orders,
 * counters, groups and unique values are those of its records, and that no index is unfinished.
 * Returns the number of records.
 */
export async function auditIndexes(
  location: string,
  { secretKey, declarations = resources }: { secretKey: string; declarations?: Declarations },
): Promise<number> {
  using kv = await openDenoKv(location);
  const { value } = await kv.get<Schema>(keys.version);
  const schema = value!;
  assert.deepEqual([schema.building, schema.pending, schema.uncounted], [{}, undefined, undefined]);
  assert.equal((await kv.get(keys.migration)).versionstamp, null);
  let records = 0;
  for await (const account of kv.list<StoredAccount>({ prefix: keys.accounts })) {
    const tenant = tenantOf(account.value.account);
    for (const [name, definition] of Object.entries<AnyResource>(declarations)) {
      const place = {
        account: account.value.number,
        prefix: definition.storedAs ?? definition.sidPrefix,
      };
      const codec = recordCodec({
        fields: schema.fields[name]!,
        secret: definition.secret ?? [],
        seal: sealer(secretKey),
        cache: recordCache(1),
        complete: completing(definition),
      });
      const { found, beside } = await readPlace(kv, place, codec);
      const wanted = expected(place, definition, { records: found, depths: beside.depths });
      assert.deepEqual(beside.entries, wanted.entries, name);
      assert.deepEqual(beside.counters, wanted.counters, name);
      await auditLookups(kv, { ...definition, sidPrefix: place.prefix, tenant }, found);
      records += found.length;
    }
  }
  return records;
}

async function readPlace(
  kv: KeyValueStore,
  { account, prefix }: Place,
  codec: RecordCodec,
): Promise<{ found: AnyRecord[]; beside: Beside }> {
  const found: AnyRecord[] = [];
  const beside: Beside = { entries: new Set(), counters: new Map(), depths: new Map() };
  for await (const entry of kv.list<unknown>({ prefix: [account, prefix] })) {
    const { key, value } = entry;
    if (key.length === 3 && key[2] instanceof Uint8Array) found.push(codec.decode(entry));
    else if (typeof key[2] === "bigint") beside.depths.set(keyText(key), value as DepthNote);
    else if (key.at(-1) instanceof Uint8Array) beside.entries.add(keyText(key));
    else if (value instanceof KvU64 && key.length > 3 && value.value > 0n) {
      beside.counters.set(keyText(key), Number(value.value));
    }
  }
  return { found, beside };
}

function expected(
  place: Place,
  definition: AnyResource,
  { records, depths }: { records: AnyRecord[]; depths: Beside["depths"] },
): Beside {
  const { indexes, sorted, dates } = layoutOf(definition);
  const layout = layoutOf(definition);
  const entries = new Set<string>();
  const counters = new Map<string, number>();
  const count = (key: KvKey) => counters.set(keyText(key), (counters.get(keyText(key)) ?? 0) + 1);
  for (const record of records) {
    const lacking = lackingOf(dates, record);
    const isOver = lacking !== undefined && !isWithoutEnd(layout, lacking);
    for (const { field, depth, valueOf } of indexes) {
      const value = valueOf(record);
      if (value === null) continue;
      const at = { ...place, field, value };
      if (field !== "") entries.add(keyText(keys.entry(at, value, ordOf(record.sid))));
      const isCounted = isOver && !["", "undated"].includes(field);
      const ms = sidTime(record.sid);
      const note = depths.get(keyText(keys.depth(keys.value(at, value), windowAt(ms))));
      if (note?.next !== undefined) throw new Error(`Counting of ${field} is not over`);
      for (const level of levels.slice(0, note?.depth ?? depth)) {
        const bucket = bucketAt(ms, level);
        count(keys.counter(at, level.level, bucket));
        if (isCounted && level.level <= depth) {
          count(keys.counter({ ...at, lacking }, level.level, bucket));
        }
      }
    }
    if (sorted === undefined) continue;
    entries.add(keyText(keys.sorted(place, String(record[sorted.by]), ordOf(record.sid))));
  }
  return { entries, counters, depths };
}

/** Asserts that each record is found by its unique values, and in its groups. */
async function auditLookups(
  kv: KeyValueStore,
  { sidPrefix: prefix, unique = [], groups = {}, tenantGroups = {}, tenant }:
    & AnyResource
    & { tenant: string },
  records: AnyRecord[],
): Promise<void> {
  for (const record of records) {
    for (const field of unique) {
      const value = record[field];
      if (typeof value !== "string" || value === "") continue;
      const holder = await kv.get(keys.unique(prefix, field, value));
      assert.deepEqual(holder.value, [record.accountSid, record.sid], `${prefix} ${field}`);
    }
    for (const [group, groupOf] of Object.entries(groups)) {
      const value = groupOf(record);
      if (value === null) continue;
      const member = await kv.get(keys.member({ prefix, group, value, sid: record.sid }));
      assert.equal(member.value, record.accountSid, `${prefix} ${group}`);
    }
    for (const [group, isMember] of Object.entries(tenantGroups)) {
      const member = await kv.get(keys.member({ prefix, group, value: tenant, sid: record.sid }));
      assert.equal(member.value, isMember(record) ? record.accountSid : null, `${prefix} ${group}`);
    }
  }
}
