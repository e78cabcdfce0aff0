import type { KvKey, KvListSelector } from "./key_value_store.ts";
/**
 * Every key shape of the store. `A` is an account's number: two to four bytes in
 * a key instead of a Sid's 36. `ord` is a Sid without its prefix, as bytes, so that keys sort by age;
 * bytes sort before strings, and those before bigints. All of a resource is under [A, prefix]; the
 * field "" with the value "" stands for all records, which are their own index entries.
 *
 *   ["v"]                              version of the layout and declarations of the indexes
 *   ["-"]                              never set: reading it takes the least (`prompt_wire.ts`)
 *   ["ck"]                             the monotonic clock of an embedded store (`store_clock.ts`)
 *   ["pr"]                             written and deleted by probes of a store that cannot write
 *   ["rs"]                             a restore fills the store, or was cut off
 *   ["bk"]                             the id of the backup of a remote store that is under way
 *   ["bl", id, commit, n]              chunk of what a commit did during the backup
 *   ["m"]                              lease and cursor of a migration under way
 *   ["n"]                              the last account number given out
 *   ["a", accountSid]                  account, with its number A
 *   ["l", accountSid]                  limits of an account, with what it and those below it use
 *   ["ac", parentSid, accountSid]      sub-account, empty; the root's parent is ""
 *   ["u", prefix, field, value]        the record that holds a unique value: [accountSid, sid]
 *   ["g", prefix, group, value, sid]   member of a service-wide group: accountSid
 *   ["r", day, instance]               number of commits that an instance made on a remote store, as
 *                                      of its last one of a UTC day (U64, by `max`)
 *   ["lv", A, prefix]                  set by each commit that writes to a list of a remote store: its
 *                                      versionstamp is the version of the list
 *   ["b", companionId]                 companion, as of its last heartbeat
 *   ["bh"]                             last heartbeat, in ms, of the companion that was forgotten last
 *   ["bp", companionId]                run of the companion whose presence is stored, and the number
 *                                      of its last presence changes
 *   ["bp", companionId, login]         a device of the login is registered there: the run that
 *                                      reported it
 *   [A, prefix, ord]                   record
 *   [A, "$", day, category, what]      sum of charges of a UTC day (U64): count, usage or price
 *   ["i", "n", phoneNumber]            number for sale: its offer
 *   ["i", "k", country, kind, number]  number for sale, by country and kind, empty
 *   [A, prefix, field, value, ord]     index entry, empty: the record's field has the value
 *   [A, prefix, field, value, level, bucket]
 *                                      how many entries fall into a stretch of time (`counters.ts`;
 *                                      U64, as every counter: moved by `sum`)
 *   [A, prefix, field, value, dates, level, bucket]
 *                                      how many of these are over and lack these dates; the field
 *                                      "undated" has an entry for each record that lacks dates
 *   [A, prefix, window, field, value]  how deep the value is counted in a window of 35 minutes, where
 *                                      that is deeper than its index is everywhere (`DepthNote`)
 *   [A, prefix, true, text, ord]       entry in the order of the field that lists are sorted by: the
 *                                      values that lists are narrowed by
 *   [A, prefix, field, ord]            texts of a searched field, packed, up to that record
 *   [A, prefix, field, "stale", ord]   the packed text of that record may be wrong
 *   [A, prefix, field]                 searched field: the last record packed;
 *                                      date: its widest distance from a Sid's time (U64, by `max`)
 *   ["au", accountSid, sid]            size of audio that is in the store, in bytes
 *   ["au", accountSid, sid, n]         a chunk of it
 *   ["st", accountSid, callSid]        SIP trace of a call, for some hours; no backup has it
 *   ["co", tenant, slot]               cookies of customers' servers, for some hours; no backup has them
 *   ["el"]                             accounts whose changes are sent, each until when in ms; of a
 *                                      remote store, as are the next two
 *   ["ec", A, versionstamp]            changes of the account's records in one commit; for some minutes
 *   ["ed", A]                          set with each of these: who follows the account watches it
 *   ["q", "d", lane, due, id]          job; the lease of a running one is its due time
 *   ["q", "a", lane]                   earliest due time of the lane (U64, moved by `min`)
 *   ["q", "w"]                         wake counter (U64), watched by every worker
 *   ["q", "x", lane, id]               dead letter
 *   ["q", "r"]                         jobs that the process of an embedded file performs: [id, attempt]
 */
export const keys = {
  version: ["v"],
  nothing: ["-"],
  clock: ["ck"],
  probe: ["pr"],
  restoring: ["rs"],
  backup: ["bk"],
  logs: ["bl"],
  log: (id: string) => ["bl", id],
  logged: (id: string, commit: string, n: number) => ["bl", id, commit, n],
  migration: ["m"],
  accountNumber: ["n"],
  audio: (accountSid: string, sid: string) => ["au", accountSid, sid],
  audioChunk: (accountSid: string, sid: string, n: number) => ["au", accountSid, sid, n],
  allCookies: ["co"],
  cookies: (tenant: string) => ["co", tenant],
  cookieSlot: (tenant: string, slot: number) => ["co", tenant, slot],
  sipTraces: ["st"],
  sipTrace: (accountSid: string, callSid: string) => ["st", accountSid, callSid],
  accounts: ["a"],
  account: (sid: string) => ["a", sid],
  limits: (accountSid: string) => ["l", accountSid],
  children: (parentSid: string) => ["ac", parentSid],
  child: (parentSid: string, sid: string) => ["ac", parentSid, sid],
  unique: (prefix: string, field: string, value: string) => ["u", prefix, field, value],
  groups: (prefix: string) => ["g", prefix],
  group: (prefix: string, group: string, value: string) => ["g", prefix, group, value],
  member: (
    { prefix, group, value, sid }: { prefix: string; group: string; value: string; sid: string },
  ) => ["g", prefix, group, value, sid],
  receipts: ["r"],
  receipt: (day: number, instance: string) => ["r", day, instance],
  listVersion: ({ account, prefix }: Place): KvKey => ["lv", account, prefix],
  companions: ["b"],
  companion: (id: string) => ["b", id],
  companionHeard: ["bh"],
  presence: (companionId: string) => ["bp", companionId],
  present: (companionId: string, login: string) => ["bp", companionId, login],
  record: (account: bigint, sid: string): RecordKey => [account, sid.slice(0, 2), ordOf(sid)],
  chargesOf: (account: bigint, day: number) => [account, "$", day],
  charge: (
    { account, day, category, what }: {
      account: bigint;
      day: number;
      category: string;
      what: string;
    },
  ) => [account, "$", day, category, what],
  stock: ["i", "n"],
  stocked: (phoneNumber: string) => ["i", "n", phoneNumber],
  stockKinds: ["i", "k"],
  stockKind: (isoCountry: string, kind: string) => ["i", "k", isoCountry, kind],
  stockOfKind: (isoCountry: string, kind: string, phoneNumber: string) => [
    "i",
    "k",
    isoCountry,
    kind,
    phoneNumber,
  ],
  entry: ({ account, prefix, field }: FieldPlace, value: IndexValue, ord: Uint8Array) =>
    field === "" ? [account, prefix, ord] : [account, prefix, field, value, ord],
  value: ({ account, prefix, field }: FieldPlace, value: IndexValue): KvKey => [
    account,
    prefix,
    field,
    value,
  ],
  /** A bound after all keys of a value. */
  afterValue: (place: FieldPlace, value: IndexValue) => [...keys.value(place, value), true],
  /** Counters of all entries of a value, or of those whose records are over and lack some dates. */
  counters: (counted: FieldPlace & { value: IndexValue; lacking?: string }): KvKey => {
    const key = keys.value(counted, counted.value);
    return counted.lacking === undefined ? key : [...key, counted.lacking];
  },
  /** The last elements of the key of a counter, after `counters`. */
  bucket: (level: number, bucket: number): KvKey => [BigInt(level), BigInt(bucket)],
  counter: (
    counted: FieldPlace & { value: IndexValue; lacking?: string },
    level: number,
    bucket: number,
  ): KvKey => [...keys.counters(counted), ...keys.bucket(level, bucket)],
  depths: ({ account, prefix }: Place, window: number): KvKey => [
    account,
    prefix,
    BigInt(window),
  ],
  /** Those of all windows. */
  allDepths: ({ account, prefix }: Place): KvListSelector => ({
    start: [account, prefix, 0n],
    end: [account, prefix, true],
  }),
  /** The note of a value, by its key. */
  depth: (value: KvKey, window: number): KvKey => value.toSpliced(2, 0, BigInt(window)),
  order: ({ account, prefix }: Place) => [account, prefix, true],
  /** A bound after all keys of a resource. */
  afterOrder: ({ account, prefix }: Place) => [account, `${prefix}\0`],
  sorted: (place: Place, text: string, ord: Uint8Array) => [...keys.order(place), text, ord],
  field: ({ account, prefix, field }: FieldPlace) => [account, prefix, field],
  texts: ({ account, prefix, field }: FieldPlace, last: Uint8Array) => [
    account,
    prefix,
    field,
    last,
  ],
  stale: ({ account, prefix, field }: FieldPlace) => [account, prefix, field, "stale"],
  staleText: (place: FieldPlace, ord: Uint8Array) => [...keys.stale(place), ord],
  followed: ["el"],
  changes: ["ec"],
  changesOf: (account: bigint) => ["ec", account],
  changesAt: (account: bigint, versionstamp: string) => ["ec", account, versionstamp],
  changed: (account: bigint) => ["ed", account],
  changedAny: ["ed"],
  lanes: ["q", "a"],
  lane: (lane: string) => ["q", "a", lane],
  jobs: ["q", "d"],
  laneJobs: (lane: string) => ["q", "d", lane],
  job: (lane: string, due: number, id: string) => ["q", "d", lane, due, id],
  jobsOf: (lane: string) => ["q", "d", lane],
  wake: ["q", "w"],
  running: ["q", "r"],
  deadJobs: ["q", "x"],
  deadJob: (lane: string, id: string) => ["q", "x", lane, id],
} as const;

/** Depth to which a value is counted in a window, beyond the levels of its index. */
export interface DepthNote {
  /** The finest level that its counters are moved by. */
  depth: number;
  /** The first bucket of that level whose earlier entries are not counted yet; absent: all are. */
  next?: number;
}

/** The key of the value that a note is about. */
export const valueOfDepth = (note: KvKey): KvKey => note.toSpliced(2, 1);

/** The key of a record; `ord` is its Sid (`ordOf`). */
export type RecordKey = [account: bigint, prefix: string, ord: Uint8Array];

/** The records of one resource in one account. */
export interface Place {
  account: bigint;
  prefix: string;
}

export interface FieldPlace extends Place {
  field: string;
}

/** A value as part of a key: itself, or the hash of a long one. */
export type IndexValue = string | Uint8Array;

/** A Sid as part of a key. `setFromHex` takes a third of the time of `fromHex`. */
export function ordOf(sid: string): Uint8Array {
  const ord = sharedBytes(Math.max(0, sid.length - 2) >> 1);
  ord.setFromHex(sid.slice(2));
  return ord;
}

/**
 * Buffer whose slices hold the arrays of keys. Deno's V8 has the bytes of no array in its heap. An
 * array of 16 bytes takes 0.65 µs to make with memory of its own, 0.03 µs as a slice; a webhook
 * takes 5 % less time of the main thread. Buffers of Node.js share 8 KiB, all of which stays while
 * a cache has one Sid. A service with 20,000 calls took 343 to 354 MB with those, 313 to 315 MB
 * with slabs.
 */
let slab = { buffer: new ArrayBuffer(0), used: 0 };

/** Sixty-four Sids fit: a slab stays as long as one of them does. */
const slabBytes = 1_024;

/** An array in memory that it shares with others: one with its own takes twenty times as long to make. */
function sharedBytes(length: number): Uint8Array {
  if (slab.used + length > slab.buffer.byteLength) {
    slab = { buffer: new ArrayBuffer(Math.max(slabBytes, length)), used: 0 };
  }
  const bytes = new Uint8Array(slab.buffer, slab.used, length);
  slab.used += length;
  return bytes;
}

/** The Sid of a key that ends in its ord. */
export const sidOf = (prefix: string, key: KvKey): string =>
  prefix + (key.at(-1) as Uint8Array).toHex();

/** Returns whether a key is that of a record. */
export const isOfRecord = (key: KvKey): boolean => key.length === 3 && key[2] instanceof Uint8Array;

/** The Sid of a record by its key. */
export const sidOfRecord = (key: KvKey): string => sidOf(String(key[1]), key);

/** A bound between Sids: those made before `ms` sort before it. Any number, also infinite. */
export function ordAt(ms: number): Uint8Array {
  if (ms >= 2 ** 48) return new Uint8Array(17).fill(255);
  const time = Math.max(0, Math.ceil(ms)).toString(16).padStart(12, "0");
  return Uint8Array.fromHex(time.padEnd(32, "0"));
}
