import { matches } from "../../core/base/filters.ts";
import type { Base } from "../../core/base/record.ts";
import type { Query } from "../../core/model/store.ts";
import type { AnyRecord } from "../../core/model/resource.ts";
import type { Batch } from "../store/batch.ts";
import type { Transition } from "./indexes.ts";
import { keys, ordOf, type Place, sidOf } from "../store/keys.ts";
import { type SortedField, textOf } from "./layout.ts";
import type { KeyValueStore, KvKey } from "../store/key_value_store.ts";

/** The fields of a record that its entry holds: those that lists are filtered by. */
type Held = Record<string, unknown>;

/** Moves the entry of a record in the sort order of its resource. */
export function stageSorted(
  batch: Batch,
  { place, sorted }: { place: Place; sorted: SortedField },
  { before, after }: Transition,
): void {
  if (before && textOf(before, sorted.by) !== (after && textOf(after, sorted.by))) {
    batch.deletes.push(keyOf(place, sorted, before));
  }
  if (after) batch.sets.push({ key: keyOf(place, sorted, after), value: heldOf(sorted, after) });
}

const keyOf = (place: Place, { by }: SortedField, record: Base): KvKey =>
  keys.sorted(place, textOf(record, by), ordOf(record.sid));

const heldOf = ({ by, holds }: SortedField, record: AnyRecord): Held =>
  Object.fromEntries([by, ...holds].map((field) => [field, record[field]]));

/** Returns whether the entries have all fields of a list's conditions. */
export const isHeld = ({ by, holds }: SortedField, { where }: Query): boolean =>
  where.every(({ field }) => field === by || holds.includes(field));

/** The source of one account's sorted entries and records. */
export interface SortedSource {
  kv: KeyValueStore;
  place: Place;
  sorted: SortedField;
  read(sid: string): Promise<Base | null>;
}

/** The Sids of a page, and the number of records that pass: null when all pass. */
interface Page {
  sids: string[];
  passed: number | null;
}

/**
 * One page of a list in the order of a field. It reads the entries up to the page, or from its
 * cursor on. With conditions it reads all of them; an entry is a line of text.
 */
export async function pageSorted(source: SortedSource, query: Query): Promise<Page> {
  const { kv, place } = source;
  const { where, skip, limit } = query;
  const from = await startOf(source, query);
  const isFiltered = where.length > 0;
  const selector = from === undefined || isFiltered
    ? { prefix: keys.order(place) }
    : { start: from, end: keys.afterOrder(place) };
  const reach = from === undefined ? skip + limit : limit + 1;
  const options = { batchSize: piece, ...(isFiltered ? {} : { limit: reach }) };
  const sids: string[] = [];
  let [passed, isPast] = [0, false];
  for await (const { key, value } of kv.list<Held>(selector, options)) {
    const sid = sidOf(place.prefix, key);
    isPast ||= from !== undefined && isBehind(key, from);
    if (matches(value, where)) {
      const isShown = from === undefined ? passed >= skip : isPast;
      if (isShown && sids.length < limit) sids.push(sid);
      passed++;
    }
  }
  return { sids, passed: isFiltered ? passed : null };
}

/** Entries of one read. */
const piece = 500;

/**
 * The key of a cursor's entry, which may be gone. Undefined without a cursor, and for the Sid of a
 * removed record, whose entry cannot be derived: then the page is found by its number.
 */
async function startOf(
  { place, sorted, read }: SortedSource,
  { after, afterText }: Query,
): Promise<KvKey | undefined> {
  if (after === undefined) return undefined;
  if (afterText !== undefined) return keys.sorted(place, afterText, ordOf(after));
  const record = await read(after);
  return record === null ? undefined : keyOf(place, sorted, record);
}

/** Returns whether an entry comes after a place in the order. */
const isBehind = (key: KvKey, from: KvKey): boolean => orderOf(key) > orderOf(from);

const orderOf = (key: KvKey): string =>
  `${String(key.at(-2))}\0${(key.at(-1) as Uint8Array).toHex()}`;
