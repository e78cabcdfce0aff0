import { type Condition, matches } from "../core/filters.ts";
import type { Base } from "../core/ports.ts";
import { entriesOf, type Found, membersOf, type Range, readAtOnce, recordsOf } from "./entries.ts";
import type { Plan, Source } from "./plan.ts";
import { search } from "./search.ts";

/** What to look for: the records of a range that pass, `verifies` by looking at each. */
export interface Scan {
  plan: Plan;
  where: Condition[];
  range: Range;
  verifies: boolean;
}

/** Looking an entry up costs as much as listing this many. */
const lookupCost = 4;

/** A search through the packed texts is better than looking at this many records. */
const searchedRecords = 1_000;

/**
 * Everything that passes, newest first, where counters cannot tell: the entries of the smallest
 * index, less those without an entry in the others, less those whose record does not pass.
 */
export async function* scan<T extends Base>(
  source: Source,
  { plan, where, range, verifies }: Scan,
): AsyncGenerator<Found<T>> {
  const [first, ...others] = plan.indexes;
  const [text, ...moreTexts] = plan.texts;
  const isSearched = text !== undefined && first!.total > searchedRecords;
  const looks = verifies || moreTexts.length > 0 || (text !== undefined && !isSearched);
  const candidates = isSearched
    ? search<T>(source, text, range)
    : entriesOf<T>(source.kv, first!.index, { range });
  const narrowing = isSearched ? plan.indexes.filter(({ index }) => index.field !== "") : others;
  for await (let chunk of chunks(candidates, readAtOnce)) {
    const size = isSearched ? 0 : first!.total;
    for (const { index, total } of narrowing) {
      if (chunk.length === 0) break;
      const sids = chunk.map(({ sid }) => sid);
      const isSparse = total > lookupCost * size * index.values.length;
      const members = await membersOf(source.kv, index, { sids, isSparse });
      chunk = chunk.filter(({ sid }) => members.has(sid));
    }
    if (looks) {
      const isSparse = await plan.all() > lookupCost * size;
      chunk = await passing(source, chunk, { where, isSparse });
    }
    yield* chunk;
  }
}

/** Those of a chunk whose record passes, with their records. */
export async function passing<T extends Base>(
  { kv, place }: Source,
  chunk: Found<T>[],
  { where, isSparse }: { where: Condition[]; isSparse: boolean },
): Promise<Found<T>[]> {
  const missing = chunk.filter(({ record }) => record === undefined).map(({ sid }) => sid);
  const read = missing.length === 0
    ? []
    : await recordsOf<T>(kv, place, { sids: missing, isSparse });
  const records = new Map(read.map((record) => [record.sid, record]));
  return chunk.flatMap(({ sid, record = records.get(sid) }) =>
    record !== undefined && matches(record as T & Record<string, unknown>, where)
      ? [{ sid, record }]
      : []
  );
}

async function* chunks<V>(values: AsyncIterable<V>, size: number): AsyncGenerator<V[]> {
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
