import { matches } from "../core/filters.ts";
import type { Base, Query, Slice } from "../core/ports.ts";
import type { AnyRecord } from "../core/resource.ts";
import type { Batch } from "./batch.ts";
import { totalOf } from "./counts.ts";
import { allOf, readAtOnce, recordsOf } from "./entries.ts";
import type { Transition } from "./indexes.ts";
import { keys, ordOf, type Place, sidOf } from "./keys.ts";
import { type SortedField, textOf } from "./layout.ts";
import type { Source } from "./plan.ts";

/** What an entry holds of its record: all that a list is filtered by, so that none need be read. */
type Held = Record<string, unknown>;

/** Moves the entry of a record in the order of its resource. */
export function stageSorted(
  batch: Batch,
  { place, sorted }: { place: Place; sorted: SortedField },
  { before, after }: Transition,
): void {
  const was = before && keyOf(place, sorted, before);
  const is = after && keyOf(place, sorted, after);
  if (
    was !== undefined &&
    (is === undefined || textOf(before!, sorted.by) !== textOf(after!, sorted.by))
  ) {
    batch.deletes.push(was);
  }
  if (is !== undefined) batch.sets.push({ key: is, value: heldOf(sorted, after!) });
}

const keyOf = (place: Place, { by }: SortedField, record: AnyRecord): Deno.KvKey =>
  keys.sorted(place, textOf(record, by), ordOf(record.sid));

const heldOf = ({ by, holds }: SortedField, record: AnyRecord): Held =>
  Object.fromEntries([by, ...holds].map((field) => [field, record[field]]));

/** Whether a list can be answered from the entries alone. */
export const isHeld = ({ by, holds }: SortedField, { where }: Query): boolean =>
  where.every(({ field }) => field === by || holds.includes(field));

/**
 * One page of a list in the order of a field, with its exact total. It looks at the entries up to
 * the page, or from its cursor on; with conditions at all of them, which are a line of text each.
 */
export async function listSorted<T extends Base>(
  source: Source & { sorted: SortedField },
  query: Query,
): Promise<Slice<T>> {
  const { kv, place } = source;
  const { where, skip, limit } = query;
  const from = await cursorOf(source, query);
  const isFiltered = where.length > 0;
  const reach = from === undefined ? skip + limit : limit + 1;
  const shown: string[] = [];
  let [passed, isPast] = [0, false];
  const selector = from === undefined || isFiltered
    ? { prefix: keys.order(place) }
    : { start: from, end: keys.afterOrder(place) };
  const options = { batchSize: readAtOnce, ...(isFiltered ? {} : { limit: reach }) };
  for await (const { key, value } of kv.list<Held>(selector, options)) {
    const sid = sidOf(place.prefix, key);
    if (matches(value, where)) {
      const isShown = from === undefined ? passed >= skip : isPast;
      if (isShown && shown.length < limit) shown.push(sid);
      passed++;
    }
    isPast ||= sid === query.after;
  }
  return {
    items: await recordsOf<T>(kv, place, { sids: shown, isSparse: true }),
    total: isFiltered ? passed : await totalOf(kv, allOf(place)),
  };
}

/** Where the cursor stands; undefined without one, and when its record is gone: then pages count. */
async function cursorOf(
  { kv, place, sorted }: Source & { sorted: SortedField },
  { after }: Query,
): Promise<Deno.KvKey | undefined> {
  if (after === undefined) return undefined;
  const { value } = await kv.get<AnyRecord>(keys.record(place.account, after));
  return value === null ? undefined : keyOf(place, sorted, value);
}
