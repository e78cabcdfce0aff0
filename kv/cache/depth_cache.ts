import { type Batch, keyText } from "../store/batch.ts";
import type { CommitDepths } from "../store/commit.ts";
import { windowOf } from "../store/counters.ts";
import { type DepthNote, keys, type Place, valueOfDepth } from "../store/keys.ts";
import { type LruCache, lruCache } from "./lru_cache.ts";
import type { KeyValueStore, KvKey } from "../store/key_value_store.ts";

/** Values that are counted deeper than the levels of their index, by window. */
export interface DepthCache extends CommitDepths {
  /** The finest level whose counters of a value are whole in a window; 0 for those of its index. */
  wholeIn(value: KvKey, window: number): Promise<number>;
  /** A page passed over many entries of a value in a window, for want of finer counters. */
  passed(value: KvKey, window: number): void;
  /** Forgets everything: another process counts other values deeper. */
  clear(): void;
}

/** A value that has many entries in a bucket. */
export type OnFull = (value: KvKey, window: number) => void;

/** The notes of a window, by the text of their value's key. */
type Notes = Map<string, DepthNote>;

/** Cached windows of lists; most have no note. */
const mostWindows = 20_000;

interface State {
  kv: KeyValueStore;
  isShared: boolean;
  known: LruCache<Notes>;
  /** The window that was looked up last: values of one record follow each other. */
  last: { account: unknown; prefix: unknown; window: number; notes: Notes | undefined } | null;
  /** The reads under way, by the name of their window. */
  readings: Map<string, Promise<void>>;
  /** The changes of notes so far. */
  changes: number;
}

/**
 * Caches the notes of windows (`keys.depth`). On a store that only this process writes to, every
 * change is reported here. On a shared store each commit checks that no other process has begun to
 * count a value deeper; if one has, `clear` is called. A note only grows while its window has
 * records, so readers can use an outdated one.
 */
export function depthCache(
  kv: KeyValueStore,
  { isShared, onFull }: { isShared: boolean; onFull: OnFull },
): DepthCache {
  const known = lruCache<Notes>(mostWindows);
  const state: State = { kv, isShared, known, last: null, readings: new Map(), changes: 0 };
  return {
    depthIn: (key, text, window) => noteOf(state, key, { window, text })?.depth ?? 0,
    load: (batch) => load(state, batch),
    made({ sets, deletes }) {
      for (const { key, value } of sets) {
        if (isNote(key)) change(state, key, value as DepthNote); // As its key says.
      }
      for (const key of deletes) if (isNote(key)) forget(state, key);
    },
    doubt({ sets, deletes }) {
      for (const key of [...sets.map(({ key }) => key), ...deletes]) {
        if (isNote(key)) forget(state, key);
      }
    },
    wholeIn: (value, window) => wholeIn(state, value, window),
    passed: onFull,
    clear() {
      state.changes++;
      state.last = null;
      state.known = lruCache(mostWindows);
    },
  };
}

/** Returns whether a key is that of a note (`keys.depth`). */
const isNote = (key: KvKey): boolean => key.length === 5 && typeof key[2] === "bigint";

/** Takes over a note that a commit wrote. A window that is not in memory is not read for it. */
function change(state: State, key: KvKey, note: DepthNote): void {
  state.changes++;
  state.last = null;
  const name = nameOf(placeOf(key), Number(key[2]));
  const notes = state.known.peek(name);
  if (notes === undefined || state.isShared) return state.known.forget(name);
  const changed = new Map(notes).set(keyText(valueOfDepth(key)), note);
  state.known.keep(name, changed, 1 + changed.size);
}

function forget(state: State, key: KvKey): void {
  state.changes++;
  state.last = null;
  state.known.forget(nameOf(placeOf(key), Number(key[2])));
}

const noteOf = (
  state: State,
  value: KvKey,
  { window, text }: { window: number; text: string },
): DepthNote | undefined => notesIn(state, value, window)?.get(text);

function notesIn(state: State, value: KvKey, window: number): Notes | undefined {
  const { known, last } = state;
  const [account, prefix] = value;
  const isSame = last?.window === window && last.account === account && last.prefix === prefix;
  if (isSame) return last.notes;
  const notes = known.peek(nameOf(placeOf(value), window));
  state.last = { account, prefix, window, notes };
  return notes;
}

function load(state: State, { counts }: Batch): Promise<void> | null {
  const reads = new Set<Promise<void>>();
  let last: { account: unknown; prefix: unknown; window: number } | undefined;
  for (const { key, buckets } of counts.values()) {
    const [account, prefix] = key;
    for (const bucket of buckets.keys()) {
      const window = windowOf(bucket);
      const isSame = last?.window === window && last.account === account && last.prefix === prefix;
      if (isSame) continue; // Values of one record follow each other.
      last = { account, prefix, window };
      const reading = reads.size > mostReads ? null : loading(state, placeOf(key), window);
      if (reading !== null) reads.add(reading);
    }
  }
  return reads.size === 0 ? null : Promise.all(reads).then(() => {});
}

/** The most windows that are read at once; others follow. */
const mostReads = 100;

function loading(state: State, place: Place, window: number): Promise<void> | null {
  const { known, readings } = state;
  const name = nameOf(place, window);
  if (known.get(name) !== undefined) return null;
  const other = readings.get(name);
  if (other !== undefined) return other;
  const reading = read(state, place, window).finally(() => readings.delete(name));
  readings.set(name, reading);
  return reading;
}

async function read(state: State, place: Place, window: number): Promise<void> {
  for (;;) {
    const since = state.changes;
    const notes: Notes = new Map();
    const found = state.kv.list<DepthNote>({ prefix: keys.depths(place, window) });
    for await (const { key, value } of found) notes.set(keyText(valueOfDepth(key)), value);
    if (since !== state.changes) continue; // It may be of before the change.
    const name = nameOf(place, window);
    state.last = null;
    return state.known.keep(name, notes.size === 0 ? none : notes, 1 + notes.size);
  }
}

async function wholeIn(state: State, value: KvKey, window: number): Promise<number> {
  const place = placeOf(value);
  for (
    let more = loading(state, place, window);
    more !== null;
    more = loading(state, place, window)
  ) await more;
  const note = noteOf(state, value, { window, text: keyText(value) });
  if (note === undefined || note.next === undefined) return note?.depth ?? 0;
  if (!state.isShared) return note.depth - 1;
  // Another process may have ended it, which no commit shows.
  const { value: now } = await state.kv.get<DepthNote>(keys.depth(value, window));
  if (now === null || now.next !== undefined) return note.depth - 1;
  forget(state, keys.depth(value, window));
  return now.depth;
}

const none: Notes = new Map();

const placeOf = ([account, prefix]: KvKey): Place => ({
  account: account as bigint,
  prefix: prefix as string,
});

const nameOf = ({ account, prefix }: Place, window: number): string =>
  `${account} ${prefix} ${window}`;
