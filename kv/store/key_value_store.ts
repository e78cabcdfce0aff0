/**
 * The port of the store: all that `kv/` asks of what keeps its entries. Deno KV is not stable, and its
 * server is one SQLite on one machine, so an engine of another kind fits here. `kv/engines/deno_kv.ts` has the embedded
 * file, memory and KV Connect behind it. `tests/kv/store/conformance_test.ts` proves what is promised
 * here of each of them.
 *
 * A key is a list of parts. Keys sort by their parts, one after the other; a key sorts before those that
 * it begins. Bytes sort before texts, then bigints, numbers, false and true; texts by their UTF-8.
 * Numbers and bigints are never equal.
 */

export type KvKeyPart = Uint8Array | string | number | bigint | boolean;

/** At most 2 KiB as the store writes it. */
export type KvKey = readonly KvKeyPart[];

/** An entry that exists. */
export interface KvEntry<T> {
  key: KvKey;
  /** As V8 clones it: bytes, texts, bigints, dates, maps, plain objects; at most 64 KiB. */
  value: T;
  /**
   * The version of the commit that wrote it, in 20 hexadecimal digits. All entries of one commit have
   * the same; that of a later commit sorts after it.
   */
  versionstamp: string;
}

/** Result of reading a key. */
export type KvEntryMaybe<T> = KvEntry<T> | { key: KvKey; value: null; versionstamp: null };

/**
 * Keys from `start` on and before `end`, or those that a prefix begins, without the prefix itself. A
 * `start` after `end` is an error.
 */
export type KvListSelector =
  | { prefix: KvKey }
  | { prefix: KvKey; start: KvKey }
  | { prefix: KvKey; end: KvKey }
  | { start: KvKey; end: KvKey };

export interface KvListOptions {
  /** The most entries that are given, at least 1; all unless set. */
  limit?: number;
  /** From the last key to the first one. */
  reverse?: boolean;
  /** Entries that are read at once, at most 1,000: as many as the limit, or 100, unless set. */
  batchSize?: number;
}

/** Entries of a list. Those that are read at once are of one moment. */
export type KvListIterator<T> = AsyncIterableIterator<KvEntry<T>>;

/** Holds if the entry of a key has this version; null: if there is none. */
export interface AtomicCheck {
  key: KvKey;
  versionstamp: string | null;
}

export interface KvSetOptions {
  /**
   * After so many ms no read finds the entry any more, with a minute of grace. It is removed some time
   * later. Without it an entry stays.
   */
  expireIn?: number;
}

/** A commit that was made. */
export interface KvMade {
  ok: true;
  versionstamp: string;
}

/** `ok` is false where a check did not hold: then nothing was written. */
export type KvCommitResult = KvMade | { ok: false };

/** An unsigned number of 64 bits. */
interface Unsigned {
  readonly value: bigint;
}

/**
 * A counter: a value that commits move without reading it. `sum`, `min` and `max` take no other
 * values; arithmetic is that of unsigned numbers of 64 bits, modulo 2^64.
 */
export class KvU64 implements Unsigned {
  /** Throws a RangeError for a number outside 0 to 2^64 - 1. */
  constructor(readonly value: bigint) {
    if (BigInt.asUintN(64, value) !== value) {
      throw new RangeError(`A counter cannot be ${value}: it has 64 bits and no sign`);
    }
  }
}

/**
 * Checks and writes that are made together, or not at all. The writes to one key are made in their
 * order, but only one of `sum`, `min` and `max` may be done to a key. At most 10 checks
 * (`KeyValueStore.mostChecks`), 1,000 writes, 80 KiB of keys and 800 KiB in all.
 */
export interface AtomicOperation {
  check(...checks: AtomicCheck[]): this;
  set(key: KvKey, value: unknown, options?: KvSetOptions): this;
  /** Sets an entry whose key is `prefix` with the version of this commit as a text behind it. */
  setAtVersion(prefix: KvKey, value: unknown, options?: KvSetOptions): this;
  delete(key: KvKey): this;
  /** Adds to a counter; one that does not exist begins with 0. */
  sum(key: KvKey, by: bigint): this;
  /** Lowers a counter to `to`; one that does not exist becomes that. */
  min(key: KvKey, to: bigint): this;
  /** Raises a counter to `to`; one that does not exist becomes that. */
  max(key: KvKey, to: bigint): this;
  /**
   * Makes the commit: it is durable when the promise resolves. It sees every commit before it, and every
   * later read sees it. Rejects where it is too large, or where the store cannot write; then it may have
   * been made, and the store may be asked whether it was. A store whose `repeatsCommits` is true may
   * make it twice when a connection breaks, unless a check refuses the second one.
   */
  commit(): Promise<KvCommitResult>;
}

/** A store of entries in the order of their keys. */
export interface KeyValueStore {
  /** The most checks of one commit. */
  readonly mostChecks: number;
  /** Its client sends a commit again when the response was lost: see `AtomicOperation.commit`. */
  readonly repeatsCommits: boolean;
  /** A line for the operator at the start, if the store is less durable than it could be. */
  readonly caution: string | null;
  get<T = unknown>(key: KvKey): Promise<KvEntryMaybe<T>>;
  /** Reads up to ten entries, all of one moment, in the order of the keys. */
  getMany<T extends readonly unknown[]>(
    keys: readonly [...{ [K in keyof T]: KvKey }],
  ): Promise<{ [K in keyof T]: KvEntryMaybe<T[K]> }>;
  list<T = unknown>(selector: KvListSelector, options?: KvListOptions): KvListIterator<T>;
  /** A commit of one write. */
  set(key: KvKey, value: unknown, options?: KvSetOptions): Promise<KvMade>;
  /** A commit of one deletion. */
  delete(key: KvKey): Promise<void>;
  atomic(): AtomicOperation;
  /**
   * An entry as it is now, and again after each change of it by any process. Changes in quick
   * succession may arrive as one, and a state twice. After the connection broke it goes on with the
   * state of the entry then, or the stream fails. Of an embedded file only changes by its own
   * process arrive.
   */
  watch<T = unknown>(key: KvKey): ReadableStream<KvEntryMaybe<T>>;
  close(): void;
  /** Closes it, unless it is closed. */
  [Symbol.dispose](): void;
}
