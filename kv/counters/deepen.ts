/**
 * Finer counters where many entries came. The finest counter of all records covers 33 s, that of other
 * values 35 minutes; whoever imports 17,000 records within seconds has them in one bucket, and a page by
 * number passed over half of them. Finer levels everywhere cost each record up to eleven rows beside
 * twenty-five; trees balanced by number make two writers of one leaf conflict; marks of the n-th entries
 * never cover the bucket that grows. So a value gets finer levels in a window where a bucket has 256
 * entries: values with few entries pay nothing.
 *
 * Writers need to know which values are counted deeper: one read for each list and window, kept in memory.
 * One invariant makes it right beside other writers, on a file and on KV Connect, without lock or lease:
 * from the note on, entries and counter differ by a constant, so counting needs no moment without writes. A
 * bucket that is written to at every moment is counted once a pause lets the number be read; an attempt
 * first reads the version of that counter, and ends where it moved since the attempt before (each eighth
 * reads all the same).
 */
import { leastDepth } from "../records/layout.ts";
import { type Batch, emptyBatch, stageSum } from "../store/batch.ts";
import type { Committer } from "../store/commit.ts";
import { bucketAt, fullBucket, levelAt, levels, spanOf, windowLevel } from "../store/counters.ts";
import {
  type DepthNote,
  type FieldPlace,
  type IndexValue,
  keys,
  ordAt,
  type Place,
  valueOfDepth,
} from "../store/keys.ts";
import type {
  KeyValueStore,
  KvEntryMaybe,
  KvKey,
  KvListSelector,
  KvU64,
} from "../store/key_value_store.ts";

/** A store whose counters are made finer. */
export interface Counting {
  kv: KeyValueStore;
  committer: Committer;
  /** Other processes write to it. */
  isShared: boolean;
  /** Returns whether the index of a value has all entries, and is not being removed or built. */
  isComplete(value: KvKey): boolean;
}

/** The entries of a value in a window of time. */
export interface Stretch {
  value: KvKey;
  window: number;
  /** The finest level that the value's index has everywhere. */
  depth: number;
}

/** Waits so many ms before entries are counted again that changed meanwhile; rejects when it must end. */
export type Pause = (ms: number) => Promise<void>;

/** The first pause and the longest one, in ms; each takes twice as long as the one before. */
const [pauseMs, mostPauseMs] = [5, 1_000];

/**
 * Counts a value in a window by finer levels, while the store is used, until no bucket is full or
 * none is finer. Several processes may do it at once, and each may be killed after any commit.
 *
 * First a note makes all writers move the counters of the new level. From then on a bucket's number
 * of entries differs from its counter by those that came before the note, and that difference never
 * changes. So it is counted while others write, and added once: each commit checks the note, which
 * has its progress, and moves it on.
 */
export async function deepen(store: Counting, stretch: Stretch, pause: Pause): Promise<void> {
  const { kv } = store;
  const key = keys.depth(stretch.value, stretch.window);
  const attempts: Attempts = { failed: 0, stamp: undefined };
  while (store.isComplete(stretch.value)) {
    const entry = await kv.get<DepthNote>(key);
    const { depth = stretch.depth, next } = entry.value ?? {};
    const isDone = next === undefined &&
      (depth === levels.length || !await hasFull(kv, stretch, depth));
    if (isDone) return;
    const isMoved = next === undefined
      ? await begin(store, stretch, { entry, depth: depth + 1 })
      : await countOn(store, stretch, { entry, note: { depth, next }, attempts });
    if (isMoved) attempts.failed = 0;
    else await pause(Math.min(pauseMs * 2 ** attempts.failed++, mostPauseMs));
  }
}

/** Attempts at counting the entries of a bucket whose counter moved meanwhile. */
interface Attempts {
  failed: number;
  /** The version of that counter at the end of the last attempt. */
  stamp: string | undefined;
}

/**
 * The entries of a bucket are not read where its counter has moved since the attempt before: in a busy
 * list it would move while they are read. At each eighth attempt they are read all the same.
 */
const attemptsToRead = 8;

/** Returns whether a bucket of a level in the window is full. */
async function hasFull(kv: KeyValueStore, stretch: Stretch, depth: number): Promise<boolean> {
  const { from, before } = spanOf(stretch.window, windowLevel);
  for (const { count } of await countersIn(kv, stretch, { depth, from, before })) {
    if (count >= fullBucket) return true;
  }
  return false;
}

/** Has all writers move the counters of a further level. */
async function begin(
  { kv, committer, isShared, isComplete }: Counting,
  { value, window }: Stretch,
  { entry, depth }: { entry: KvEntryMaybe<DepthNote>; depth: number },
): Promise<boolean> {
  const note: DepthNote = {
    depth,
    next: bucketAt(spanOf(window, windowLevel).from, levelAt(depth)),
  };
  const batch = emptyBatch();
  batch.premises.push(() => isComplete(value));
  batch.checks.push(entry);
  batch.sets.push({ key: entry.key, value: note });
  if (isShared) await stageNotice(kv, batch);
  return await committer.commit(batch) !== null;
}

/**
 * Has all processes that write to the store read notes anew: their commits check the description of
 * the store.
 */
async function stageNotice(kv: KeyValueStore, batch: Batch): Promise<void> {
  const schema = await kv.get(keys.version);
  batch.checks.push(schema);
  batch.sets.push({ key: keys.version, value: schema.value });
}

/** The most keys that one commit removes. */
const mostDropped = 400;

/** Removes the notes of windows that have no record any more, with the finer counters. */
export async function dropNotes(
  { kv, committer, isShared }: Omit<Counting, "isComplete">,
  place: Place,
  windows: Iterable<number>,
): Promise<void> {
  const all = { ...place, field: "", value: "" };
  for (const window of windows) {
    const notes = await Array.fromAsync(kv.list({ prefix: keys.depths(place, window) }));
    if (notes.length === 0) continue;
    const counter = await kv.get(keys.counter(all, windowLevel.level, window));
    if (counter.versionstamp !== null) continue;
    const { from, before } = spanOf(window, windowLevel);
    for (const note of notes) {
      const value = valueOfDepth(note.key);
      const left = [note.key];
      for (const { level } of levels.slice(leastDepth(String(value[2])))) {
        const range = countersOf(value, { depth: level, from, before });
        for await (const { key } of kv.list(range)) left.push(key);
      }
      for (let at = left.length; at > 0; at -= mostDropped) { // The note goes last.
        const batch = emptyBatch();
        batch.checks.push(counter);
        batch.deletes.push(...left.slice(Math.max(0, at - mostDropped), at));
        if (isShared && at <= mostDropped) await stageNotice(kv, batch);
        await committer.commit(batch); // If a record was added meanwhile, all stay.
      }
    }
  }
}

/** A counter of a bucket. */
interface Counter {
  bucket: number;
  count: number;
  versionstamp: string;
}

/** Adds the earlier entries of the next buckets that have some. False when that must be repeated. */
async function countOn(
  { kv, committer, isComplete }: Counting,
  stretch: Stretch,
  { entry, note: { depth, next }, attempts }: {
    entry: KvEntryMaybe<DepthNote>;
    note: Required<DepthNote>;
    attempts: Attempts;
  },
): Promise<boolean> {
  const level = levelAt(depth);
  const { before: end } = spanOf(stretch.window, windowLevel);
  const from = await firstIn(kv, stretch, { depth, from: spanOf(next, level).from, before: end });
  const batch = emptyBatch();
  batch.premises.push(() => isComplete(stretch.value));
  batch.checks.push(entry);
  const counting: DepthNote = { depth };
  if (from !== null) {
    const coarser = levelAt(depth - 1);
    const range = { depth, from, before: spanOf(bucketAt(from, coarser), coarser).before };
    const { differences, reached } = await differencesIn(kv, stretch, range, attempts);
    if (reached === bucketAt(from, level)) return false;
    for (const [bucket, by] of differences) {
      stageSum(batch, [...stretch.value, ...keys.bucket(depth, bucket)], by);
    }
    if (spanOf(reached, level).from < end) counting.next = reached;
  }
  batch.sets.push({ key: entry.key, value: counting });
  return await committer.commit(batch) !== null;
}

/** Buckets of a level, by the time in ms. */
interface Range {
  depth: number;
  from: number;
  before: number;
}

/** The time of the first bucket in a range that has an entry or a counter; null: there is none. */
async function firstIn(
  kv: KeyValueStore,
  { value }: Stretch,
  range: Range,
): Promise<number | null> {
  const { depth, from, before } = range;
  const level = levelAt(depth);
  const [[counter], [entry]] = await Promise.all([
    Array.fromAsync(kv.list(countersOf(value, range), { limit: 1 })),
    Array.fromAsync(kv.list(entriesOf(value, { from, before }), { limit: 1 })),
  ]);
  const times: number[] = [];
  if (counter !== undefined) times.push(spanOf(Number(counter.key.at(-1)), level).from);
  if (entry !== undefined) times.push(spanOf(bucketAt(timeOf(entry.key), level), level).from);
  return times.length === 0 ? null : Math.min(...times);
}

/**
 * By how much the entries of each bucket differ from its counter, up to the first bucket whose counter
 * moved meanwhile: `reached`.
 */
async function differencesIn(
  kv: KeyValueStore,
  stretch: Stretch,
  range: Range,
  attempts: Attempts,
): Promise<{ differences: [bucket: number, by: number][]; reached: number }> {
  const level = levelAt(range.depth);
  const first = bucketAt(range.from, level);
  const earlier = byBucket(await countersIn(kv, stretch, range));
  const stamp = earlier.get(first)?.versionstamp;
  const isRead = attempts.failed % attemptsToRead === 0 || stamp === attempts.stamp;
  attempts.stamp = stamp;
  if (!isRead) return { differences: [], reached: first };
  const entries = new Map<number, number>();
  for await (const { key } of kv.list(entriesOf(stretch.value, range), { batchSize: 1_000 })) {
    const bucket = bucketAt(timeOf(key), level);
    entries.set(bucket, (entries.get(bucket) ?? 0) + 1);
  }
  const later = byBucket(await countersIn(kv, stretch, range));
  attempts.stamp = later.get(first)?.versionstamp;
  const differences: [number, number][] = [];
  const end = bucketAt(range.before, level);
  for (let bucket = first; bucket < end; bucket++) {
    const counter = earlier.get(bucket);
    if (counter?.versionstamp !== later.get(bucket)?.versionstamp) {
      return { differences, reached: bucket };
    }
    const by = (entries.get(bucket) ?? 0) - (counter?.count ?? 0);
    if (by !== 0) differences.push([bucket, by]);
  }
  return { differences, reached: end };
}

const byBucket = (counters: Counter[]): Map<number, Counter> =>
  new Map(counters.map((counter) => [counter.bucket, counter]));

async function countersIn(kv: KeyValueStore, { value }: Stretch, range: Range): Promise<Counter[]> {
  const found: Counter[] = [];
  const entries = kv.list<KvU64>(countersOf(value, range), { batchSize: 1_000 });
  for await (const { key, value: { value: count }, versionstamp } of entries) {
    // Below 0 where more entries left than came since the note.
    found.push({
      bucket: Number(key.at(-1)),
      count: Number(BigInt.asIntN(64, count)),
      versionstamp,
    });
  }
  return found;
}

function countersOf(value: KvKey, { depth, from, before }: Range): KvListSelector {
  const key = (ms: number) => [...value, ...keys.bucket(depth, bucketAt(ms, levelAt(depth)))];
  return { start: key(from), end: key(before) };
}

function entriesOf(
  value: KvKey,
  { from, before }: { from: number; before: number },
): KvListSelector {
  const [account, prefix, field, of] = value;
  const at: FieldPlace = {
    account: account as bigint,
    prefix: prefix as string,
    field: field as string,
  };
  const key = (ms: number) => keys.entry(at, of as IndexValue, ordAt(ms));
  return { start: key(from), end: key(before) };
}

/** The time of the Sid that a key ends in, in ms. */
const timeOf = (key: KvKey): number =>
  parseInt((key.at(-1) as Uint8Array).subarray(0, 6).toHex(), 16);
