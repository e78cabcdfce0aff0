import type { AnyRecord } from "../../core/model/resource.ts";
import type { CommitWatch } from "../store/commit.ts";
import { type Place, sidOfRecord } from "../store/keys.ts";
import { listOf, nameOf } from "./list_states.ts";
import { storedBytes } from "./record_cache.ts";
import type { Stored } from "./record_cache.ts";
import {
  after,
  type Bounds,
  firstBelow,
  firstOf,
  type Gap,
  overlapping,
  partOf,
  type Run,
  runBytes,
  sumOf,
  type Window,
} from "./runs.ts";

/** Records of lists that stand side by side. */
export interface RunCache extends CommitWatch {
  /**
   * The first records between bounds, newest first, without the `skip` first ones: of those that are
   * known as the store has them, and of what was `read` for it meanwhile. Or what to read first.
   */
  find(place: Place, bounds: Bounds, window: Window, read?: Run[]): AnyRecord[] | Gap;
  /** To be asked for before records are read by `recall`: takes what was found. */
  reading(place: Place, recall: Recall): (run: Run) => void;
}

/** Decodes an entry of a list, frozen. */
type Recall = (entry: Stored) => AnyRecord;

/** The runs of a list, newest first; none overlaps another. */
interface Known {
  runs: Run[];
  bytes: number;
  recall: Recall;
}

/** Runs of fewer records together are joined. */
const joinedUpTo = 100;

/** What a list takes beside its runs. */
const listBytes = 512;

/** What the commit under way makes of a record that was known; without a value it is deleted. */
interface Write {
  list: string;
  sid: string;
  key: Deno.KvKey;
  value?: unknown;
}

/** Writes that are held against the readings under way. */
const mostWrites = 1_000;

/**
 * Remembers records that take up to `most` bytes by where they stand in their list, so that a page of
 * a list that grows or changes is found without asking the store. What a commit may write is forgotten
 * before it is made, and known again when it was. What a commit may have written while it was read is
 * not taken. All that writes records of the store must pass here.
 */
export function runCache(most: number): RunCache {
  /** Those asked for last come last. */
  const lists = new Map<string, Known>();
  let total = 0;
  /** The commits begun so far, and whether the last one is under way. */
  let commits = 0;
  let isUnderWay = false;
  let writes: { commit: number; list: string; sid: string }[] = [];
  /** What the commit under way writes where records are known. */
  let inside = new Map<string, Write>();

  function replace(known: Known, at: number, gone: number, ...come: Run[]): void {
    const left = known.runs.splice(at, gone, ...come);
    const more = sumOf(come) - sumOf(left);
    known.bytes += more;
    total += more;
  }

  /** Leaves out one Sid of the runs of a list; whether it was in one. */
  function forget(list: string, sid: string): boolean {
    const known = lists.get(list);
    if (known === undefined) return false;
    const at = firstBelow(known.runs, after(sid));
    const run = known.runs[at];
    if (run === undefined || run.before <= sid) return false;
    const [newer, older] = [{ from: after(sid), before: run.before }, {
      from: run.from,
      before: sid,
    }];
    const parts = [newer, older].filter(({ from, before }) => from < before);
    replace(known, at, 1, ...parts.map((bounds) => partOf(run, bounds)));
    return true;
  }

  /** Adds a run where nothing is known, as one with its neighbours when they are short. */
  function add(known: Known, run: Run): void {
    const at = firstBelow(known.runs, run.before);
    replace(known, at, 0, run);
    for (const newer of [at, at - 1]) {
      const [one, other] = [known.runs[newer], known.runs[newer + 1]];
      if (one === undefined || other === undefined || one.from !== other.before) continue;
      if (one.records.length + other.records.length > joinedUpTo) continue;
      const records = one.records.concat(other.records);
      const bytes = one.bytes + other.bytes - runBytes;
      replace(known, newer, 2, { from: other.from, before: one.before, records, bytes });
    }
  }

  function newList(name: string, recall: Recall): Known {
    const known = { runs: [], bytes: listBytes, recall };
    lists.set(name, known);
    total += listBytes;
    return known;
  }

  /** Takes of a run what is not known yet. */
  function keep(list: string, run: Run, recall: Recall): void {
    const known = lists.get(list) ?? newList(list, recall);
    let { before } = run;
    for (const { from, before: end } of overlapping(known.runs, run)) {
      if (end < before) add(known, partOf(run, { from: end, before }));
      before = from;
    }
    if (run.from < before) add(known, partOf(run, { from: run.from, before }));
    for (const [name, { bytes }] of lists) {
      if (total <= most) break;
      lists.delete(name);
      total -= bytes;
    }
  }

  /** Knows a record again that was written. */
  function learn({ list, sid, ...entry }: Write, { versionstamp }: { versionstamp: string }): void {
    const known = lists.get(list);
    const isDeleted = !("value" in entry);
    if (known === undefined || !isDeleted && !(entry.value instanceof Uint8Array)) return;
    const records = isDeleted ? [] : [known.recall({ value: null, ...entry, versionstamp })];
    const bytes = runBytes + (isDeleted ? 0 : storedBytes(entry.value));
    keep(list, { from: sid, before: after(sid), records, bytes }, known.recall);
  }

  return {
    find(place, bounds, window, read = []) {
      const list = nameOf(place);
      const known = lists.get(list);
      if (known === undefined) return firstOf([], read, { bounds, window });
      lists.delete(list);
      lists.set(list, known);
      return firstOf(known.runs, read, { bounds, window });
    },
    reading(place, recall) {
      const list = nameOf(place);
      const since = isUnderWay ? commits : commits + 1;
      return (run) => {
        if (writes.length >= mostWrites && writes[0]!.commit >= since) return;
        const isWritten = writes.some(({ commit, list: of, sid }) =>
          commit >= since && of === list && sid >= run.from && sid < run.before
        );
        if (!isWritten) keep(list, { ...run, bytes: run.bytes + runBytes }, recall);
      };
    },
    began({ sets, deletes }) {
      commits++;
      isUnderWay = true;
      const written = deletes.map((key) => ({ key }));
      for (const write of [...sets, ...written]) {
        const { key } = write;
        const sid = sidOfRecord(key);
        if (sid === null) continue;
        const list = listOf(key);
        writes.push({ commit: commits, list, sid });
        const name = `${list} ${sid}`;
        if (forget(list, sid) || inside.has(name)) inside.set(name, { list, sid, ...write });
      }
      if (writes.length > 2 * mostWrites) writes = writes.slice(-mostWrites);
    },
    ended(committed) {
      isUnderWay = false;
      if (committed !== null) { for (const write of inside.values()) learn(write, committed); }
      inside = new Map();
    },
  };
}
