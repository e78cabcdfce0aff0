import type { Base } from "../../core/base/record.ts";
import type { AnyRecord } from "../../core/model/resource.ts";
import type { RecordCache, Stored } from "../cache/record_cache.ts";
import { mapFields, type Seal } from "../store/seal.ts";

/** How the records of one resource are kept as values of the store. */
export interface RecordCodec {
  /** The value of a record, its secrets sealed. */
  encode(record: Base): unknown;
  decode(entry: Stored): AnyRecord;
  /** The same, frozen and remembered. */
  recall(entry: Stored): AnyRecord;
}

/** The longest record that is kept as JSON; the store takes 64 KiB. */
const jsonBytes = 64_000;

const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];

export interface CodecOptions {
  /** The names of all fields, in the order in which the store has their values. */
  fields: readonly string[];
  secret: readonly string[];
  seal: Seal;
  cache: RecordCache;
}

/**
 * Keeps a record as JSON in bytes: the values of its fields without their names, which are half of
 * it. One that lacks a field or has an unknown one is kept with the names. One that is too long in
 * UTF-8 is kept as the object that it is, in which many characters take less.
 */
export function recordCodec({ fields, secret, seal, cache }: CodecOptions): RecordCodec {
  function compact(record: AnyRecord): AnyRecord | unknown[] {
    const values = fields.map((field) => record[field]);
    const isWhole = Object.keys(record).length === fields.length && !values.includes(undefined);
    return isWhole ? values : record;
  }

  // Filling in a copy keeps the fields where the engine finds them fast; adding them would not.
  const form = JSON.parse(JSON.stringify(Object.fromEntries(fields.map((name) => [name, null]))));

  /**
   * The record of values in order. One that was kept before there were further fields lacks them; a
   * value of which only a later program knows the name is kept under its number.
   */
  function named(values: unknown[]): AnyRecord {
    const record: Record<string, unknown> = values.length < fields.length ? {} : { ...form };
    for (let at = 0; at < values.length; at++) record[fields[at] ?? at] = values[at];
    return record as AnyRecord;
  }

  const renumbered = (kept: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(kept).map(([name, value]) => [fields[Number(name)] ?? name, value]),
    ) as AnyRecord;

  function decode({ value }: Stored): AnyRecord {
    const kept = value instanceof Uint8Array ? JSON.parse(decoder.decode(value)) : value;
    return mapFields(Array.isArray(kept) ? named(kept) : renumbered(kept), secret, seal.open);
  }

  return {
    encode(record) {
      const sealed = mapFields(record as AnyRecord, secret, seal.seal);
      const bytes = encoder.encode(JSON.stringify(compact(sealed)));
      return bytes.length <= jsonBytes ? bytes : sealed;
    },
    decode,
    recall: (entry) => cache.reading(entry, () => decode(entry)),
  };
}
