import type { Base } from "../core/ports.ts";
import type { AnyRecord } from "../core/resource.ts";
import { mapFields, type Seal } from "./seal.ts";

/** How the records of one resource are kept as values of the store. */
export interface RecordCodec {
  /** The value of a record, its secrets sealed. */
  encode(record: Base): unknown;
  decode(entry: Stored): AnyRecord;
  /** The same, frozen and remembered: for what is likely to be asked for again. */
  recall(entry: Stored): AnyRecord;
}

/** An entry of the store that holds a record. */
export type Stored = Pick<Deno.KvEntry<unknown>, "key" | "value" | "versionstamp">;

/** The longest record that is kept as JSON; the store takes 64 KiB. */
const jsonBytes = 64_000;

const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];

/**
 * Keeps records as JSON in bytes, which Deno hands over untouched and which parses faster than its
 * own form of objects. In that other form are records that are too long as JSON, for there many
 * characters take less.
 */
export function recordCodec(
  secret: readonly string[],
  seal: Seal,
  recent: RecentRecords,
): RecordCodec {
  function decode({ value }: Stored): AnyRecord {
    const stored = value instanceof Uint8Array ? JSON.parse(decoder.decode(value)) : value;
    return mapFields(stored as AnyRecord, secret, seal.open);
  }

  return {
    encode(record) {
      const sealed = mapFields(record, secret, seal.seal);
      const bytes = encoder.encode(JSON.stringify(sealed));
      return bytes.length <= jsonBytes ? bytes : sealed;
    },
    decode,
    recall: (entry) => recent.reading(entry, () => decode(entry)),
  };
}

/** Records that were read a while ago, each in the state that it had in the store. */
export interface RecentRecords {
  /** What was read of an entry before, or what `read` gives. */
  reading(entry: Stored, read: () => AnyRecord): AnyRecord;
}

interface Known {
  account: Deno.KvKeyPart;
  versionstamp: string;
  record: AnyRecord;
}

/**
 * Remembers decoded records of up to twice `bytes` as stored. An entry is known again by its
 * versionstamp, which every write changes, whoever makes it: so nothing has to be forgotten.
 */
export function recentRecords(bytes: number): RecentRecords {
  let [young, old] = [new Map<string, Known>(), new Map<string, Known>()];
  let youngBytes = 0;

  function keep(id: string, known: Known, size: number): void {
    young.set(id, known);
    youngBytes += size;
    if (youngBytes < bytes) return;
    [young, old, youngBytes] = [new Map(), young, 0];
  }

  return {
    reading({ key, value, versionstamp }, read) {
      const [account, prefix, ord] = key as [bigint, string, Uint8Array];
      const id = prefix + ord.toHex();
      const isSame = (known: Known | undefined): known is Known =>
        known?.versionstamp === versionstamp && known.account === account;
      const size = value instanceof Uint8Array ? value.length : jsonBytes;
      const known = young.get(id);
      if (isSame(known)) return known.record;
      const older = old.get(id);
      const record = isSame(older) ? older.record : frozen(read());
      keep(id, { account, versionstamp, record }, size);
      return record;
    },
  };
}

/** Freezes an object and what it holds. */
function frozen<T extends object>(object: T): T {
  for (const value of Object.values(object)) {
    if (typeof value === "object" && value !== null) frozen(value);
  }
  return Object.freeze(object);
}
