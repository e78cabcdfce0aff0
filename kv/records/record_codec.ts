import type { Base } from "../../core/base/record.ts";
import type { AnyRecord } from "../../core/model/resource.ts";
import type { RecordCache, Stored } from "../cache/record_cache.ts";
import { mapFields, type Seal } from "../store/seal.ts";

/** Encodes the records of one resource as values of the store. */
export interface RecordCodec {
  /** The value of a record, with sealed secrets. */
  encode(record: Base): unknown;
  /** A record that was stored before the last fields were declared is completed. */
  decode(entry: Stored): AnyRecord;
  /** Completes every record, also one that was written without some fields on purpose. */
  decodeWhole(entry: Stored): AnyRecord;
  form(entry: Stored): StoredForm;
  /** Decodes an entry by the record cache (`RecordCache.reading`). */
  recall(entry: Stored): AnyRecord;
}

/**
 * The form of a stored record. It has all values in order, or those of the first fields, which were
 * all when it was stored. A record that lacked some or was too long has them by name.
 */
export type StoredForm = "whole" | "short" | "named";

/** The longest record that is stored as JSON, in bytes; a value may have 64 KiB. */
const jsonBytes = 64_000;

const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];

export interface CodecOptions {
  /** The names of all fields, in the order of their stored values. */
  fields: readonly string[];
  secret: readonly string[];
  seal: Seal;
  cache: RecordCache;
  /** Adds the fields that a record lacks. */
  complete?(record: AnyRecord): AnyRecord;
}

/** The values of a record in the order of the fields; the record itself where it lacks some. */
function compact(record: AnyRecord, fields: readonly string[]): AnyRecord | unknown[] {
  const names = Object.keys(record);
  if (names.length !== fields.length) return record;
  // Most records have their fields in order: all values at once are quicker than one by one.
  const isInOrder = names.every((name, at) => name === fields[at]);
  const values = isInOrder ? Object.values(record) : fields.map((field) => record[field]);
  return values.includes(undefined) ? record : values;
}

/**
 * Stores a record as the JSON of its values, without the field names, which are half of it. A
 * record with missing or unknown fields is stored with the names. A record that is too long in
 * UTF-8 is stored as an object of V8, in which many characters take less.
 */
export function recordCodec(
  { fields, secret, seal, cache, complete = (record) => record }: CodecOptions,
): RecordCodec {
  // A copy of this form keeps the fast properties of V8; adding fields one by one would not.
  const form = JSON.parse(JSON.stringify(Object.fromEntries(fields.map((name) => [name, null]))));

  /**
   * The record of values in order. A record that was stored before a field was declared lacks it. A
   * value of a field that only a later program declares is retained under its number.
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

  const keptIn = ({ value }: Stored): unknown[] | Record<string, unknown> =>
    value instanceof Uint8Array ? JSON.parse(decoder.decode(value)) : value as AnyRecord;

  function formOf(kept: unknown[] | Record<string, unknown>): StoredForm {
    if (!Array.isArray(kept)) return "named";
    return kept.length < fields.length ? "short" : "whole";
  }

  /** Opens a record; those of some forms are completed. */
  function read(entry: Stored, completed: StoredForm[]): AnyRecord {
    const kept = keptIn(entry);
    const record = Array.isArray(kept) ? named(kept) : renumbered(kept);
    if (!completed.includes(formOf(kept))) return mapFields(record, secret, seal.open);
    const sealed = secret.filter((name) => record[name] !== undefined);
    return complete(mapFields(record, sealed, seal.open));
  }

  const decode = (entry: Stored) => read(entry, ["short"]);

  return {
    encode(record) {
      const sealed = mapFields(record as AnyRecord, secret, seal.seal);
      const bytes = encoder.encode(JSON.stringify(compact(sealed, fields)));
      return bytes.length <= jsonBytes ? bytes : sealed;
    },
    decode,
    decodeWhole: (entry) => read(entry, ["short", "named"]),
    form: (entry) => formOf(keptIn(entry)),
    recall: (entry) => cache.reading(entry, () => decode(entry)),
  };
}
