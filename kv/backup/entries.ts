import { Deserializer, Serializer } from "node:v8";
import { type KvEntry, type KvKey, KvU64 } from "../store/key_value_store.ts";

/** An entry of the store. */
export type Entry = Pick<KvEntry<unknown>, "key" | "value">;

function serialized(value: unknown): Uint8Array {
  const serializer = new Serializer();
  serializer.writeHeader();
  serializer.writeValue(value);
  return serializer.releaseBuffer();
}

/**
 * Entries as bytes. V8's format, which KV itself uses, keeps what values consist of: bigints, bytes,
 * dates. Counters are of a class (`KvU64`), so their number is marked.
 */
export const encodeEntries = (entries: readonly Entry[]): Uint8Array =>
  serialized(
    entries.map(({ key, value }) =>
      value instanceof KvU64 ? [key, value.value, true] : [key, value]
    ),
  );

/** The entries that `encodeEntries` made bytes of. */
export function decodeEntries(bytes: Uint8Array): Entry[] {
  const deserializer = new Deserializer(bytes);
  deserializer.readHeader();
  const found: [KvKey, unknown, true?][] = deserializer.readValue();
  return found.map(([key, value, isCounter]) => ({
    key,
    value: isCounter ? new KvU64(value as bigint) : value,
  }));
}

/** The bytes that KV takes for a value, or a few more. */
export function valueBytes(value: unknown): number {
  if (value instanceof KvU64) return 8;
  return value instanceof Uint8Array ? value.length : serialized(value).length;
}
