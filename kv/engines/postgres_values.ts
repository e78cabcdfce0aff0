import { Buffer } from "node:buffer";
import { Deserializer, Serializer } from "node:v8";
import { type KvEntry, KvU64 } from "../store/key_value_store.ts";
import { keyOf } from "./key_bytes.ts";
import type { Row } from "./postgres_pool.ts";

/** A value as a row has it: V8's format, plain bytes, or a counter. */
export interface StoredValue {
  kind: number;
  value: Uint8Array | null;
  number: bigint | null;
}

/** Kinds of values. */
const kinds = { cloned: 1, plain: 2, counter: 3 } as const;

/** The most bytes of a value, as in Deno KV. */
const mostBytes = 65_536;

/** The columns of a value in its row. Throws if it cannot be cloned, or has over 64 KiB. */
export function storedValue(value: unknown): StoredValue {
  if (value instanceof KvU64) {
    return { kind: kinds.counter, value: null, number: BigInt.asIntN(64, value.value) };
  }
  const isPlain = value instanceof Uint8Array;
  const bytes = isPlain ? value : serialized(value);
  if (bytes.length > mostBytes) {
    throw new TypeError(`A value has at most ${mostBytes} bytes; this one has ${bytes.length}`);
  }
  return { kind: isPlain ? kinds.plain : kinds.cloned, value: bytes, number: null };
}

function serialized(value: unknown): Uint8Array {
  const serializer = new Serializer();
  serializer.writeHeader();
  serializer.writeValue(value);
  return serializer.releaseBuffer();
}

/** The columns of an entry, in the order that `entryOf` reads them. */
export const columns = "key, kind, value, number, version";

/** The entry that a row is. */
export function entryOf<T>([key, kind, value, number, version]: Row): KvEntry<T> {
  return {
    key: keyOf(bytesIn(key!)), // Rows have them all; of value and number one.
    value: valueOf(Number(kind), value ?? "", number ?? "") as T,
    versionstamp: digitsIn(version!),
  };
}

/** The hexadecimal digits of bytes in text format. */
export const digitsIn = (text: string): string => text.slice(2);

/** Bytes in text format. */
export const bytesIn = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.fromHex(digitsIn(text));

function valueOf(kind: number, value: string, number: string): unknown {
  if (kind === kinds.counter) return new KvU64(BigInt.asUintN(64, BigInt(number)));
  const bytes = bytesIn(value);
  if (kind === kinds.plain) return bytes;
  const deserializer = new Deserializer(bytes);
  deserializer.readHeader();
  return deserializer.readValue();
}

/** An array of bytes as PostgreSQL's binary format has it; null is SQL's null. */
export const bytesArray = (items: readonly (Uint8Array | null)[]): Uint8Array => arrayOf(17, items);

/** An array of numbers of 64 bits. */
export const numbersArray = (items: readonly (bigint | number | null)[]): Uint8Array =>
  arrayOf(20, items.map((item) => item === null ? null : numberBytes(item)));

function numberBytes(number: bigint | number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigInt64(0, BigInt(number));
  return bytes;
}

function arrayOf(type: number, items: readonly (Uint8Array | null)[]): Uint8Array {
  const head = items.length === 0 ? 12 : 20;
  const length = items.reduce((sum, item) => sum + 4 + (item?.length ?? 0), head);
  const bytes = Buffer.alloc(length);
  bytes.writeInt32BE(items.length === 0 ? 0 : 1, 0); // Dimensions.
  bytes.writeInt32BE(items.includes(null) ? 1 : 0, 4);
  bytes.writeInt32BE(type, 8);
  if (items.length === 0) return bytes;
  bytes.writeInt32BE(items.length, 12);
  bytes.writeInt32BE(1, 16); // The first index.
  let at = head;
  for (const item of items) {
    at = bytes.writeInt32BE(item === null ? -1 : item.length, at);
    if (item === null) continue;
    bytes.set(item, at);
    at += item.length;
  }
  return bytes;
}
