/**
 * Records and counters are read one after the other. A page that contradicts its total is read again, up to
 * three times; while writers leave no moment for it, the records decide the total.
 */
import type { Base } from "../../core/base/record.ts";
import type { Query, Slice } from "../../core/model/store.ts";
import { list } from "./list.ts";
import { nameOf } from "../cache/list_states.ts";
import { consistentRead } from "./consistent_read.ts";
import type { Source } from "./plan.ts";
import { passing } from "./scan.ts";
import { isHeld, pageSorted } from "../records/sorted.ts";
import type { KeyValueStore } from "../store/key_value_store.ts";

/** The most readings of a page whose total and records are of different moments. */
const mostReadings = 4;

type Read<T> = (sid: string) => Promise<T | null>;

/**
 * One page of a list; `read` reads the record of a cursor by its Sid. Its total fits its records,
 * also when the list changes meanwhile. A page whose total does not fit is read again, and after
 * `mostReadings` the total is corrected. After the page, no record is read from memory in an older
 * state than the page shows.
 */
export async function readPage<T extends Base>(
  source: Source,
  query: Query,
  read: Read<T>,
): Promise<Slice<T>> {
  for (let reading = 1;; reading++) {
    const slice = await readOnce(source, query, read);
    await source.states?.followed(nameOf(source.place));
    const total = totalBy(slice, query);
    if (total === slice.total || reading === mostReadings) return { ...slice, total };
  }
}

/** The total next to the counted one that fits the records of a page. */
function totalBy({ items: { length }, total }: Slice<Base>, query: Query): number {
  const { skip, limit, after } = query;
  if (after !== undefined) return Math.max(total, length);
  if (length === limit) return limit === 0 ? total : Math.max(total, skip + limit);
  return length > 0 ? skip + length : Math.min(total, skip);
}

async function readOnce<T extends Base>(
  source: Source,
  query: Query,
  read: Read<T>,
): Promise<Slice<T>> {
  const { layout: { sorted }, place, states, kv, isSteady } = source;
  if (sorted === undefined || !isHeld(sorted, query)) return await list<T>(source, query);
  const { where } = query;
  const page = async (kv: KeyValueStore) => {
    const { sids, passed } = await pageSorted({ kv, place, sorted, read }, query);
    const shown = sids.map((sid) => ({ sid }));
    const check = { where, isSparse: true, recalls: true };
    const found = await passing({ ...source, kv }, shown, check);
    const items = found.map(({ record }) => record as Base as T);
    return { items, passed, isWhole: items.length === sids.length };
  };
  const { items, passed, isWhole } =
    await (where.length === 0
      ? page(kv)
      : states === null
      ? consistentRead(kv, page, isSteady)
      : states.consistentRead(nameOf(place), () => page(kv)));
  if (!isWhole) return await readOnce(source, query, read); // One changed meanwhile.
  const total = passed ?? (await list<T>(source, { ...query, limit: 0 })).total;
  return { items, total };
}
