import type { AnyRecord } from "../../core/model/resource.ts";
import { lruCache } from "./lru_cache.ts";

/** An entry of the store that holds a record. */
export type Stored = Pick<Deno.KvEntry<unknown>, "key" | "value" | "versionstamp">;

/** Records that were read a while ago, each in the state that it had in the store. */
export interface RecordCache {
  /** What was read of an entry before, or what `read` gives: kept from now on, frozen. */
  reading(entry: Stored, read: () => AnyRecord): AnyRecord;
}

interface Known {
  account: bigint;
  prefix: string;
  versionstamp: string;
  record: AnyRecord;
}

/** What a value takes in the store; of one that is not bytes, the most that it can. */
export const storedBytes = (value: unknown): number =>
  value instanceof Uint8Array ? value.length : 64 << 10;

/**
 * Remembers decoded records that take up to `bytes` in the store. An entry is known again by its
 * versionstamp, which every write changes, whoever makes it: so a write need not be noticed here.
 */
export function recordCache(bytes: number): RecordCache {
  const records = lruCache<Known>(bytes);

  return {
    reading({ key, value, versionstamp }, read) {
      const [account, prefix, ord] = key as [bigint, string, Uint8Array];
      const id = ord.toHex();
      const known = records.get(id);
      const isSame = known?.versionstamp === versionstamp && known.account === account &&
        known.prefix === prefix;
      if (isSame) return known.record;
      const record = read();
      freeze(record);
      records.keep(id, { account, prefix, versionstamp, record }, storedBytes(value));
      return record;
    },
  };
}

/** Freezes an object with all that it holds. */
function freeze(object: object): void {
  Object.freeze(object);
  for (const value of Object.values(object)) {
    if (typeof value === "object" && value !== null) freeze(value);
  }
}
