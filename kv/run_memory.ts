import type { AnyRecord } from "../core/resource.ts";
import type { CommitWatch } from "./commit.ts";
import { type Place, sidOf } from "./keys.ts";

/** Records of lists that stand side by side. */
export interface RunMemory extends CommitWatch {
  /**
   * The first records between bounds, newest first, without the `skip` first ones: of those that are
   * known as the store has them, and of what was `read` for it meanwhile. Or what to read first.
   */
  find(place: Place, bounds: Bounds, window: Window, read?: Run[]): AnyRecord[] | Gap;
  /** To be asked for before records are read: takes what was found. */
  reading(place: Place): (run: Run) => void;
}

/** Sids from one up, and before another text. */
export interface Bounds {
  from: string;
  before: string;
}

interface Window {
  skip: number;
  limit: number;
}

/** Where nothing is known, and how many records are wanted of it. */
export interface Gap extends Bounds {
  limit: number;
}

/** All records of a list between bounds, newest first and frozen. */
export interface Run extends Bounds {
  records: AnyRecord[];
  /** What they take. */
  bytes: number;
}

/** The runs of a list, newest first; none overlaps another. */
interface Known {
  runs: Run[];
  bytes: number;
}

/** Runs of fewer records together are joined. */
const joinedUpTo = 100;

/** What a run takes beside its records. */
const runBytes = 256;

/** Writes that are held against the readings under way. */
const mostWrites = 1_000;

/**
 * Remembers records that take up to `most` bytes by where they stand in their list, so that a page of
 * a list that grows at its newer end, or changes elsewhere, is found without asking the store. What a
 * commit may write is forgotten before it is made. What a commit may have written while it was read
 * is not taken. All that writes records of the store must pass here.
 */
export function runMemory(most: number): RunMemory {
  /** Those asked for last come last. */
  const lists = new Map<string, Known>();
  let total = 0;
  /** The commits begun so far, and whether the last one is under way. */
  let commits = 0;
  let isUnderWay = false;
  let writes: { commit: number; list: string; sid: string }[] = [];

  function replace(known: Known, at: number, gone: number, ...come: Run[]): void {
    const left = known.runs.splice(at, gone, ...come);
    const more = sumOf(come) - sumOf(left);
    known.bytes += more;
    total += more;
  }

  /** Leaves out one Sid of the runs of a list. */
  function forget(list: string, sid: string): void {
    const known = lists.get(list);
    if (known === undefined) return;
    const at = firstBelow(known.runs, after(sid));
    const run = known.runs[at];
    if (run === undefined || run.before <= sid) return;
    const [newer, older] = [{ from: after(sid), before: run.before }, {
      from: run.from,
      before: sid,
    }];
    const parts = [newer, older].filter(({ from, before }) => from < before);
    replace(known, at, 1, ...parts.map((bounds) => partOf(run, bounds)));
    if (known.runs.length === 0) lists.delete(list);
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
      const bytes = one.bytes + other.bytes;
      replace(known, newer, 2, { from: other.from, before: one.before, records, bytes });
    }
  }

  /** Takes of a run what is not known yet. */
  function keep(list: string, run: Run): void {
    const known = lists.get(list) ?? { runs: [], bytes: 0 };
    lists.set(list, known);
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

  return {
    find(place, bounds, window, read = []) {
      const list = listOf(place);
      const known = lists.get(list);
      if (known === undefined) return firstOf([], read, { bounds, window });
      lists.delete(list);
      lists.set(list, known);
      return firstOf(known.runs, read, { bounds, window });
    },
    reading(place) {
      const list = listOf(place);
      const since = isUnderWay ? commits : commits + 1;
      return (run) => {
        if (writes.length === mostWrites && writes[0]!.commit >= since) return;
        const isWritten = writes.some(({ commit, list: of, sid }) =>
          commit >= since && of === list && sid >= run.from && sid < run.before
        );
        if (!isWritten) keep(list, { ...run, bytes: run.bytes + runBytes });
      };
    },
    began({ sets, deletes }) {
      commits++;
      isUnderWay = true;
      for (const key of sets.map(({ key }) => key).concat(deletes)) {
        const [account, prefix, ord] = key;
        if (key.length !== 3 || !(ord instanceof Uint8Array)) continue; // It is not of a record.
        const list = `${String(account)} ${String(prefix)}`;
        const sid = sidOf(String(prefix), key);
        writes.push({ commit: commits, list, sid });
        forget(list, sid);
      }
      if (writes.length > mostWrites) writes = writes.slice(-mostWrites);
    },
    ended: () => isUnderWay = false,
  };
}

/** What `find` gives: of some runs, and where they have nothing, of what was read. */
function firstOf(
  runs: Run[],
  read: Run[],
  { bounds: { from, before }, window: { skip, limit } }: { bounds: Bounds; window: Window },
): AnyRecord[] | Gap {
  const found: AnyRecord[] = [];
  let [end, left] = [before, skip];
  while (found.length < limit && end > from) {
    const below = runs[firstBelow(runs, end)];
    const isKnown = below !== undefined && below.before >= end;
    const low = isKnown || below === undefined || below.before < from ? from : below.before;
    const run = isKnown ? below : read.find((one) => one.from < end && one.before >= end);
    if (run === undefined) return { from: low, before: end, limit: left + limit - found.length };
    const isWhole = run.before === end && run.from >= low;
    const part = isWhole ? run : partOf(run, { from: low, before: end });
    found.push(...part.records.slice(left, left + limit - found.length));
    left = Math.max(0, left - part.records.length);
    end = part.from;
  }
  return found;
}

const listOf = ({ account, prefix }: Place): string => `${account} ${prefix}`;

/** A bound right after a Sid, also as the bytes of a key. */
const after = (sid: string): string => `${sid}00`;

const sumOf = (runs: Run[]): number => runs.reduce((sum, { bytes }) => sum + bytes, 0);

/** Where the first of the runs stands that begins below a Sid. */
function firstBelow(runs: Run[], sid: string): number {
  let [low, high] = [0, runs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (runs[middle]!.from >= sid) low = middle + 1;
    else high = middle;
  }
  return low;
}

function overlapping(runs: Run[], { from, before }: Run): Run[] {
  const at = firstBelow(runs, before);
  let end = at;
  while (end < runs.length && runs[end]!.before > from) end++;
  return runs.slice(at, end);
}

/** What of a run lies between bounds, with its share of what it takes. */
function partOf(
  { records, bytes, ...run }: Run,
  bounds: Bounds,
): Run {
  const from = bounds.from > run.from ? bounds.from : run.from;
  const before = bounds.before < run.before ? bounds.before : run.before;
  const inside = records.filter(({ sid }) => sid >= from && sid < before);
  const share = inside.length / Math.max(1, records.length);
  return { from, before, records: inside, bytes: runBytes + (bytes - runBytes) * share };
}
