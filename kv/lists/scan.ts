import { type Condition, matches } from "../../core/base/filters.ts";
import { createTurns } from "../../core/base/turns.ts";
import type { AnyRecord } from "../../core/model/resource.ts";
import { chunksOf, type Found, joined, type Range, readAtOnce } from "./entries.ts";
import type { Stored } from "../cache/record_cache.ts";
import { isDearer, membersOf, recordsOf } from "./lookups.ts";
import type { Plan, Source } from "./plan.ts";
import { search } from "./search.ts";

/** A scan for the records of a range that pass; `verifies` reads each record. */
export interface Scan {
  plan: Plan;
  where: Condition[];
  range: Range;
  verifies: boolean;
}

/** The records from which on a search in packed texts is quicker than reading each record. */
const searchedRecords = 1_000;

/**
 * The records that pass, newest first and in pieces, for conditions that counters cannot answer.
 * These are the entries of the smallest index that have an entry in the other indexes, and whose
 * records pass.
 */
export async function* scan(
  source: Source,
  { plan, where, range, verifies }: Scan,
): AsyncGenerator<Found[]> {
  const [first, ...others] = plan.indexes;
  const [text, ...moreTexts] = plan.texts;
  const isSearched = text !== undefined && first.total > searchedRecords;
  const looks = verifies || moreTexts.length > 0 || (text !== undefined && !isSearched);
  const candidates = isSearched
    ? joined(search(source, text, range), readAtOnce)
    : chunksOf(source.kv, first.index, { range, size: readAtOnce });
  const narrowing = isSearched ? plan.indexes.filter(({ index }) => index.field !== "") : others;
  for await (let chunk of candidates) {
    const size = isSearched ? 0 : first.total;
    for (const { index, total } of narrowing) {
      if (chunk.length === 0) break;
      const sids = chunk.map(({ sid }) => sid);
      const isSparse = isDearer(total, size * index.values.length);
      const members = await membersOf(source.kv, index, { sids, isSparse });
      chunk = chunk.filter(({ sid }) => members.has(sid));
    }
    if (looks) {
      const isSparse = isDearer(plan.all, size);
      chunk = (await passing(source, chunk, { where, isSparse })).map(({ found }) => found);
    }
    yield chunk;
  }
}

/** The entries of a chunk whose records pass, with the records; `recalls` caches them. */
export async function passing(
  { kv, place, codec }: Source,
  chunk: Found[],
  { where, isSparse, recalls }: {
    where: Condition[];
    isSparse: boolean;
    recalls?: boolean;
  },
): Promise<{ found: Found; record: AnyRecord }[]> {
  const sids = chunk.filter(({ entry }) => entry === undefined).map(({ sid }) => sid);
  const read = sids.length === 0 ? [] : await recordsOf(kv, place, { sids, isSparse });
  let at = 0;
  const decode = (entry: Stored) => recalls ? codec.recall(entry) : codec.decode(entry);
  const passed: { found: Found; record: AnyRecord }[] = [];
  const turn = createTurns();
  for (const { sid, entry = read[at++] } of chunk) {
    await turn();
    if (!entry) continue;
    const record = decode(entry);
    if (matches(record, where)) passed.push({ found: { sid, entry }, record });
  }
  return passed;
}
