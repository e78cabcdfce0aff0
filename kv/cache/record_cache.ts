/**
 * Decoded records of pages, by versionstamp: no rule of invalidation is needed, whichever instance wrote
 * them. Callers share a record, so it is frozen. One that was written lately is frozen itself, and its
 * parts are not: freezing all parts cost a call 0.2 to 0.3 ms of CPU time, and V8 handles objects with
 * frozen parts slower. Stores of tests freeze the parts too (`freezesParts`), so that a change of one fails
 * there.
 */
import type { AnyRecord } from "../../core/model/resource.ts";
import type { Decoded } from "../store/batch.ts";
import { lruCache } from "./lru_cache.ts";
import type { KvEntry } from "../store/key_value_store.ts";

/** An entry of the store that holds a record. */
export type Stored = Pick<KvEntry<unknown>, "key" | "value" | "versionstamp"> & Decoded;

/** A cache of decoded records by versionstamp. */
export interface RecordCache {
  /**
   * The cached record of an entry, or the result of `read`, which is frozen if it is cached. A
   * record that was written recently belongs to its writer: only its top level is frozen, as
   * freezing nested objects takes long.
   */
  reading(entry: Stored, read: () => AnyRecord): AnyRecord;
}

/** Isolation of cached records from their readers. */
export interface RecordCacheOptions {
  /**
   * Freezes recently written records with their nested objects, so that a test finds code that
   * changes one.
   */
  freezesParts?: boolean;
}

interface Known {
  account: bigint;
  prefix: string;
  versionstamp: string;
  record: AnyRecord;
}

/** Bytes of a value in the store; for a value that is not bytes, the most of Deno KV. */
export const storedBytes = (value: unknown): number =>
  value instanceof Uint8Array ? value.length : 64 << 10;

/** Of so many records that would displace others one is cached. */
const cachedOneOf = 16;

/**
 * Caches decoded records that take up to `bytes` in the store. Every write by any process changes
 * the versionstamp of an entry, so a cached record is never outdated and no write is reported here.
 * When it is full it takes few of the further records. A client that reads a long list would
 * otherwise displace all, and all of them would be garbage that V8 collects late.
 */
export function recordCache(
  bytes: number,
  { freezesParts = false }: RecordCacheOptions = {},
): RecordCache {
  const records = lruCache<Known>(bytes);
  let passed = 0;

  return {
    reading({ key, value, versionstamp, record: staged }, read) {
      if (staged !== undefined) {
        if (freezesParts) freeze(staged);
        else Object.freeze(staged);
        return staged as AnyRecord;
      }
      const [account, prefix, ord] = key as [bigint, string, Uint8Array];
      const id = ord.toHex();
      const known = records.get(id);
      const isSame = known?.versionstamp === versionstamp && known.account === account &&
        known.prefix === prefix;
      if (isSame) return known.record;
      const record = read();
      if (records.isFull() && known === undefined && ++passed % cachedOneOf !== 0) return record;
      freeze(record);
      records.keep(id, { account, prefix, versionstamp, record }, storedBytes(value));
      return record;
    },
  };
}

/** Freezes a record with all objects in it, at last itself: a frozen one is slower to look through. */
export function freeze(object: object): void {
  if (Object.isFrozen(object)) return;
  for (const name in object) {
    const value = object[name as keyof typeof object] as unknown;
    if (typeof value === "object" && value !== null) freeze(value);
  }
  Object.freeze(object);
}
