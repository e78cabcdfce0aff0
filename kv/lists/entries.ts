import type { Span } from "../store/counters.ts";
import type { Index } from "./counts.ts";
import { type IndexValue, keys, ordAt, ordOf, type Place, sidOf } from "../store/keys.ts";
import type { Stored } from "../cache/record_cache.ts";
import type { KeyValueStore, KvEntry, KvListIterator } from "../store/key_value_store.ts";

/** A record by its Sid, with its entry where that was read. */
export interface Found {
  sid: string;
  entry?: Stored;
}

/** The entries of a span; with `after` only those that are older than that Sid. */
export interface Range {
  span: Span;
  after?: string;
}

/** Entries of one read: a longer list is read in pieces. */
export const readAtOnce = 500;

/**
 * The entries of an index in a range, newest first; those of the index of all records are records.
 */
export async function* entriesOf(
  kv: KeyValueStore,
  index: Index,
  { range, limit = Infinity }: { range: Range; limit?: number },
): AsyncGenerator<Found, undefined> {
  const lists = index.values.map((value) => listOf(kv, index, { value, range, limit }));
  const [only, ...others] = lists;
  if (only !== undefined && others.length === 0) return yield* only;
  const heads = await Promise.all(lists.map((list) => list.next()));
  for (let count = 0; count < limit; count++) {
    let newest: Found | undefined;
    let from = -1;
    for (const [at, { done, value }] of heads.entries()) {
      if (!done && (newest === undefined || value.sid > newest.sid)) [newest, from] = [value, at];
    }
    const list = lists[from];
    if (newest === undefined || list === undefined) return;
    yield newest;
    heads[from] = await list.next();
  }
}

/** The entries of an index in a range, newest first, in pieces of `size`. */
export async function* chunksOf(
  kv: KeyValueStore,
  index: Index,
  { range, size }: { range: Range; size: number },
): AsyncGenerator<Found[]> {
  if (index.values.length !== 1) return yield* inChunks(entriesOf(kv, index, { range }), size);
  let rest = range;
  while (true) {
    const chunk = await firstEntries(kv, index, { range: rest, limit: size });
    if (chunk.length > 0) yield chunk;
    const last = chunk.at(-1);
    if (last === undefined || chunk.length < size) return;
    rest = { ...range, after: last.sid };
  }
}

/** Values in pieces of `size`. */
export async function* inChunks<V>(values: AsyncIterable<V>, size: number): AsyncGenerator<V[]> {
  let chunk: V[] = [];
  for await (const value of values) {
    chunk.push(value);
    if (chunk.length === size) {
      yield chunk;
      chunk = [];
    }
  }
  if (chunk.length > 0) yield chunk;
}

/** Joins pieces until each has at least `size` values. */
export async function* joined<V>(pieces: AsyncIterable<V[]>, size: number): AsyncGenerator<V[]> {
  let joined: V[] = [];
  for await (const piece of pieces) {
    joined = joined.length === 0 ? piece : joined.concat(piece);
    if (joined.length < size) continue;
    yield joined;
    joined = [];
  }
  if (joined.length > 0) yield joined;
}

interface OneList {
  value: IndexValue;
  range: Range;
  limit: number;
  reverse?: boolean | undefined;
}

async function* listOf(
  kv: KeyValueStore,
  index: Index,
  one: OneList,
): AsyncGenerator<Found, undefined> {
  for await (const entry of entriesIn(kv, index, one) ?? []) yield foundIn(index, entry);
}

/**
 * The first entries of an index in a range, newest first, or oldest first when `reverse` is false,
 * which needs an index of one value. Quicker than `entriesOf`.
 */
export async function firstEntries(
  kv: KeyValueStore,
  index: Index,
  { range, limit, reverse }: { range: Range; limit: number; reverse?: boolean },
): Promise<Found[]> {
  const [value, ...others] = index.values;
  if (value === undefined || others.length > 0) {
    return await Array.fromAsync(entriesOf(kv, index, { range, limit }));
  }
  const found: Found[] = [];
  const entries = entriesIn(kv, index, { value, range, limit, reverse });
  for await (const entry of entries ?? []) found.push(foundIn(index, entry));
  return found;
}

/** The first records of a range, newest first, as they are stored. */
export async function firstRecords(
  kv: KeyValueStore,
  place: Place,
  { range, limit }: { range: Range; limit: number },
): Promise<Stored[]> {
  const bounds = boundsOf(range);
  return bounds === null ? [] : await recordsBetween(kv, place, { ...bounds, limit });
}

/**
 * The first records from one key on and before another, newest first, or oldest first when `reverse` is
 * false, as they are stored.
 */
export async function recordsBetween(
  kv: KeyValueStore,
  place: Place,
  { reverse = true, ...between }: {
    start: Uint8Array;
    end: Uint8Array;
    limit: number;
    reverse?: boolean;
  },
): Promise<Stored[]> {
  const found: Stored[] = [];
  const entries = listBetween(kv, allOf(place), { value: "", reverse, ...between });
  for await (const entry of entries) found.push(entry);
  return found;
}

const foundIn = ({ prefix, field }: Index, entry: KvEntry<unknown>): Found => {
  const sid = sidOf(prefix, entry.key);
  return field === "" ? { sid, entry } : { sid };
};

function entriesIn(
  kv: KeyValueStore,
  index: Index,
  { value, range, limit, reverse = true }: OneList,
): KvListIterator<unknown> | null {
  const bounds = boundsOf(range);
  return bounds && listBetween(kv, index, { value, ...bounds, limit, reverse });
}

function listBetween(
  kv: KeyValueStore,
  index: Index,
  { value, start, end, limit, reverse }: Omit<OneList, "range"> & {
    start: Uint8Array;
    end: Uint8Array;
  },
): KvListIterator<unknown> {
  const selector = { start: keys.entry(index, value, start), end: keys.entry(index, value, end) };
  const batchSize = Math.min(limit, readAtOnce);
  const atMost = limit === Infinity ? {} : { limit };
  return kv.list(selector, { reverse: reverse ?? true, batchSize, ...atMost });
}

/** The first key of a range, and the key after its last one; null for an empty range. */
export function boundsOf({ span, after }: Range): { start: Uint8Array; end: Uint8Array } | null {
  const start = ordAt(span.from);
  const [end, cursor] = [ordAt(span.before), after === undefined ? null : ordOf(after)];
  const bounds = { start, end: cursor !== null && cursor.toHex() < end.toHex() ? cursor : end };
  return start.toHex() < bounds.end.toHex() ? bounds : null;
}

/** The index of all records. */
export const allOf = (place: Place): Index => ({ ...place, field: "", values: [""], depth: 3 });
