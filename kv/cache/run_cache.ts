/**
 * Records stay in memory by their place in their list: a page is made of what is known, and the store is
 * read for the gaps. A list that grows 50 times a second changes all its pages, so pages themselves are not
 * cached on an embedded file. A commit forgets its records before it is written, and adds them again after
 * it.
 *
 * The newest records of a list stay (6 MB here, 4 MB of decoded records in `record_cache.ts`). Where the
 * last read stayed, a client that read all pages of a long list displaced every record before it was asked
 * for again, and each displaced record was garbage among V8's old objects: 268 pages a second and 350 MB,
 * in place of 303 to 333 and 345 MB.
 */
import type { AnyRecord } from "../../core/model/resource.ts";
import type { Batch } from "../store/batch.ts";
import type { CommitWatch } from "../store/commit.ts";
import { isOfRecord, type Place, sidOfRecord } from "../store/keys.ts";
import { listOf, nameOf } from "./list_states.ts";
import { freeze, type Stored, storedBytes } from "./record_cache.ts";
import {
  after,
  type Bounds,
  firstBelow,
  firstOf,
  type Gap,
  nthOldest,
  overlapping,
  partOf,
  type Run,
  runBytes,
  sumOf,
  type Window,
} from "./runs.ts";
import type { KvKey } from "../store/key_value_store.ts";

/** A cache of runs: records that follow each other in their list. */
export interface RunCache extends CommitWatch {
  /**
   * The first records between bounds, newest first, without the `skip` first ones. It takes them
   * from the cached runs, and from the runs that were `read` for this page. Or the gap to read
   * first.
   */
  find(place: Place, bounds: Bounds, window: Window, read?: Run[]): AnyRecord[] | Gap;
  /**
   * The Sid of the `count`-th record between bounds, counted from the oldest one. Or the gap before it,
   * with the number of its records that are still to be counted.
   */
  nthOldest(place: Place, bounds: Bounds, count: number): string | Gap;
  /**
   * Returns whether the commit under way writes to cached records of a gap. They are cached again
   * when it ends, and until then the store is newer than the cache.
   */
  isComing(place: Place, gap: Gap): boolean;
  /**
   * To be called before records are read and decoded; the returned function caches them, and freezes
   * those that it caches.
   */
  reading(place: Place, decode: Decode): (run: Run) => void;
}

/** Decodes an entry of a list. */
type Decode = (entry: Stored) => AnyRecord;

/** The runs of a list, newest first; none overlaps another. */
interface Known {
  runs: Run[];
  decode: Decode;
}

/** The most records of two runs that are joined. */
const joinedUpTo = 100;

/** Bytes of a list beside its runs. */
const listBytes = 512;

/** A write of the commit under way to a cached record; without a value the record is deleted. */
interface Write {
  list: string;
  sid: string;
  key: KvKey;
  value?: unknown;
}

/** Writes in memory, to be compared with reads under way. */
const mostWrites = 1_000;

interface State {
  /** The most bytes of all runs. */
  most: number;
  /** By name; the least recently used list comes first. */
  lists: Map<string, Known>;
  /** The name of the last one. */
  latest: string | null;
  /** Bytes of all lists. */
  total: number;
  /** The number of commits that began. */
  commits: number;
  isCommitting: boolean;
  /** The last writes of records, each with the number of its commit. */
  writes: { commit: number; key: KvKey }[];
  /** Writes of the commit under way to cached records. */
  pending: Map<string, Write>;
}

/**
 * Caches records of up to `most` bytes by their position in a list, so that pages of a list that
 * grows or changes need no read. When there are more, the oldest records of the list that was used
 * least recently are dropped. A client that reads a list to its end does not displace its newest
 * records. A record is dropped before a commit that writes it, and cached again after it. A record
 * that a commit may have written during its read is not cached. All writes of records must be
 * reported here.
 */
export function runCache(most: number): RunCache {
  const state: State = {
    most,
    lists: new Map(),
    latest: null,
    total: 0,
    commits: 0,
    isCommitting: false,
    writes: [],
    pending: new Map(),
  };
  return {
    find(place, bounds, window, read = []) {
      const runs = used(state, nameOf(place))?.runs ?? [];
      return firstOf(runs, read, { bounds, window });
    },
    nthOldest: (place, bounds, count) =>
      nthOldest(state.lists.get(nameOf(place))?.runs ?? [], bounds, count),
    isComing(place, { from, before }) {
      const list = nameOf(place);
      return state.pending.values().some((write) =>
        write.list === list && write.sid >= from && write.sid < before
      );
    },
    reading(place, decode) {
      const list = nameOf(place);
      const since = state.isCommitting ? state.commits : state.commits + 1;
      return (run) => {
        if (mayBeWritten(state, { list, run, since })) return;
        keep(state, { list, decode }, { ...run, bytes: run.bytes + runBytes });
      };
    },
    began: (writes) => began(state, writes),
    ended(committed) {
      state.isCommitting = false;
      if (committed !== null) {
        for (const write of state.pending.values()) learn(state, write, committed);
      }
      state.pending = new Map();
    },
  };
}

function began(state: State, { sets, deletes }: Pick<Batch, "sets" | "deletes">): void {
  const { writes } = state;
  state.commits++;
  state.isCommitting = true;
  for (const { key, value } of sets) begin(state, { key, value });
  for (const key of deletes) begin(state, { key });
  if (writes.length > 2 * mostWrites) state.writes = writes.slice(-mostWrites);
}

/** Drops a record that a commit is about to write, and notes the write. */
function begin(state: State, write: Pick<Write, "key" | "value">): void {
  const { pending, writes, commits: commit, lists } = state;
  const { key } = write;
  if (!isOfRecord(key)) return;
  writes.push({ commit, key });
  if (lists.size === 0) return;
  const list = listOf(key);
  const sid = sidOfRecord(key);
  const name = `${list} ${sid}`;
  if (forget(state, list, sid) || pending.has(name)) pending.set(name, { list, sid, ...write });
}

/** Returns whether a commit from number `since` on may have written a record of a run. */
function mayBeWritten({ writes }: State, { list, run, since }: Reading): boolean {
  const [oldest] = writes;
  // Older writes were dropped: one of them may be of a commit since then.
  if (oldest !== undefined && writes.length >= mostWrites && oldest.commit >= since) return true;
  return writes.some(({ commit, key }) => {
    if (commit < since || listOf(key) !== list) return false;
    const sid = sidOfRecord(key);
    return sid >= run.from && sid < run.before;
  });
}

/** A run that was read of a list, and the number of the first commit that may have changed it. */
interface Reading {
  list: string;
  run: Run;
  since: number;
}

function replace(state: State, known: Known, { at, gone, come }: Replacement): void {
  const left = known.runs.splice(at, gone, ...come);
  state.total += sumOf(come) - sumOf(left);
}

/** Runs that replace `gone` runs from position `at` on. */
interface Replacement {
  at: number;
  gone: number;
  come: Run[];
}

/** Drops one Sid of the runs of a list. True when it was in one. */
function forget(state: State, list: string, sid: string): boolean {
  const known = state.lists.get(list);
  if (known === undefined) return false;
  const at = firstBelow(known.runs, after(sid));
  const run = known.runs[at];
  if (run === undefined || run.before <= sid) return false;
  const newer = { from: after(sid), before: run.before };
  const older = { from: run.from, before: sid };
  const parts = [newer, older].filter(({ from, before }) => from < before);
  replace(state, known, { at, gone: 1, come: parts.map((bounds) => partOf(run, bounds)) });
  return true;
}

/** Adds a run where none is cached, and joins it with its neighbours when they are short. */
function add(state: State, known: Known, run: Run): void {
  const at = firstBelow(known.runs, run.before);
  replace(state, known, { at, gone: 0, come: [run] });
  for (const newer of [at, at - 1]) {
    const [one, other] = [known.runs[newer], known.runs[newer + 1]];
    if (one === undefined || other === undefined || one.from !== other.before) continue;
    if (one.records.length + other.records.length > joinedUpTo) continue;
    const records = one.records.concat(other.records);
    const bytes = one.bytes + other.bytes - runBytes;
    const joined = { from: other.from, before: one.before, records, bytes };
    replace(state, known, { at: newer, gone: 2, come: [joined] });
  }
}

/**
 * A list that is used now. The order stays as it is where the list is the last one already: each change
 * of a Map leaves garbage, which V8 keeps for long.
 */
function used(state: State, name: string): Known | undefined {
  const known = state.lists.get(name);
  if (known === undefined || state.latest === name) return known;
  state.lists.delete(name);
  state.lists.set(name, known);
  state.latest = name;
  return known;
}

function newList(state: State, name: string, decode: Decode): Known {
  const known = { runs: [], decode };
  state.lists.set(name, known);
  state.latest = name;
  state.total += listBytes;
  return known;
}

/**
 * Caches the records of a run that are not cached yet, if there is space or others can be dropped.
 */
function keep(
  state: State,
  { list, decode }: { list: string; decode: Decode },
  run: Run,
): void {
  const known = state.lists.get(list) ?? newList(state, list, decode);
  if (wouldGoFirst(state, list, run)) return;
  run.records.forEach(freeze);
  let { before } = run;
  for (const { from, before: end } of overlapping(known.runs, run)) {
    if (end < before) add(state, known, partOf(run, { from: end, before }));
    before = from;
  }
  if (run.from < before) add(state, known, partOf(run, { from: run.from, before }));
  makeRoom(state);
}

/** Returns whether the cache is full and a run is the first that `makeRoom` would drop. */
function wouldGoFirst({ total, most, lists }: State, list: string, run: Run): boolean {
  const [first] = lists;
  const oldest = first?.[1].runs.at(-1);
  return total + run.bytes > most && first?.[0] === list && oldest !== undefined &&
    run.before <= oldest.from;
}

/** Drops the oldest records of the least recently used lists until all fit. */
function makeRoom(state: State): void {
  for (const [name, known] of state.lists) {
    while (state.total > state.most && known.runs.length > 0) {
      replace(state, known, { at: known.runs.length - 1, gone: 1, come: [] });
    }
    if (state.total <= state.most) break;
    state.lists.delete(name);
    state.total -= listBytes;
  }
}

/** Caches a record again after the commit that wrote it. */
function learn(
  state: State,
  { list, sid, ...entry }: Write,
  { versionstamp }: { versionstamp: string },
): void {
  const known = state.lists.get(list);
  const isDeleted = !("value" in entry);
  if (known === undefined || !isDeleted && !(entry.value instanceof Uint8Array)) return;
  const { decode } = known;
  const records = isDeleted ? [] : [decode({ value: null, ...entry, versionstamp })];
  const bytes = runBytes + (isDeleted ? 0 : storedBytes(entry.value));
  keep(state, { list, decode }, { from: sid, before: after(sid), records, bytes });
}
