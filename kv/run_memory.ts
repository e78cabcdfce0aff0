import type { AnyRecord } from "../core/resource.ts";
import type { CommitWatch } from "./commit.ts";
import { boundsOf, type Range } from "./entries.ts";
import { type Place, sidOf } from "./keys.ts";

/** Records of lists that stand side by side. */
export interface RunMemory extends CommitWatch {
  /**
   * The first records of a range, newest first, without the `skip` first ones: null unless all of
   * them are known as the store has them. Each is frozen.
   */
  find(place: Place, range: Range, window: { skip: number; limit: number }): AnyRecord[] | null;
  /** To be asked for before the first records of a range are read: takes what was found. */
  reading(place: Place): (range: Range, found: Found) => void;
}

/** The first records of a range, newest first and frozen. */
export interface Found {
  records: AnyRecord[];
  /** Whether there are no further ones in the range. */
  isAll: boolean;
  /** What they take. */
  bytes: number;
}

/** All records of a list whose Sids lie from one Sid up, and before another, newest first. */
interface Run {
  from: string;
  before: string;
  records: AnyRecord[];
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
    find(place, range, window) {
      const list = listOf(place);
      const known = lists.get(list);
      if (known === undefined) return null;
      lists.delete(list);
      lists.set(list, known);
      const bounds = sidsOf(place, range);
      return bounds === null ? [] : firstOf(known.runs, bounds, window);
    },
    reading(place) {
      const list = listOf(place);
      const since = isUnderWay ? commits : commits + 1;
      return (range, { records, isAll, bytes }) => {
        const bounds = sidsOf(place, range);
        if (bounds === null || writes.length === mostWrites && writes[0]!.commit >= since) return;
        const from = isAll ? bounds.from : records.at(-1)!.sid;
        const isWritten = writes.some(({ commit, list: of, sid }) =>
          commit >= since && of === list && sid >= from && sid < bounds.before
        );
        if (!isWritten) keep(list, { ...bounds, from, records, bytes: bytes + runBytes });
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

/** The first records between bounds, without `skip` of them; null unless all of them are known. */
function firstOf(
  runs: Run[],
  { from, before }: Pick<Run, "from" | "before">,
  { skip, limit }: { skip: number; limit: number },
): AnyRecord[] | null {
  const found: AnyRecord[] = [];
  let [end, left] = [before, skip];
  for (let at = firstBelow(runs, end); found.length < limit && end > from; at++) {
    const run = runs[at];
    if (run === undefined || run.before < end) return null;
    const isWhole = run.before === end && run.from >= from;
    const inside = isWhole ? run.records : partOf(run, { from, before: end }).records;
    if (left < inside.length) found.push(...inside.slice(left, left + limit - found.length));
    left = Math.max(0, left - inside.length);
    end = run.from;
  }
  return found;
}

const listOf = ({ account, prefix }: Place): string => `${account} ${prefix}`;

/** The bounds of a range as Sids; null when nothing is between them. */
function sidsOf({ prefix }: Place, range: Range): Pick<Run, "from" | "before"> | null {
  const bounds = boundsOf(range);
  return bounds &&
    { from: prefix + bounds.start.toHex(), before: prefix + bounds.end.toHex() };
}

/** The least text after a Sid; no Sid lies between them. */
const after = (sid: string): string => `${sid}0`;

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
  bounds: Pick<Run, "from" | "before">,
): Run {
  const from = bounds.from > run.from ? bounds.from : run.from;
  const before = bounds.before < run.before ? bounds.before : run.before;
  const inside = records.filter(({ sid }) => sid >= from && sid < before);
  const share = inside.length / Math.max(1, records.length);
  return { from, before, records: inside, bytes: runBytes + (bytes - runBytes) * share };
}
