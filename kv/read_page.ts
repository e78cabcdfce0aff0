import type { Base, Query, Slice } from "../core/ports.ts";
import { list } from "./list.ts";
import type { Source } from "./plan.ts";
import { isHeld, pageSorted } from "./sorted.ts";

/** One page of a list as the store has it; `read` reads a record by its Sid. */
export async function readPage<T extends Base>(
  source: Source,
  query: Query,
  read: (sid: string) => Promise<T | null>,
): Promise<Slice<T>> {
  const { sorted } = source.layout;
  if (sorted === undefined || !isHeld(sorted, query)) return await list<T>(source, query);
  const { sids, passed } = await pageSorted({ ...source, sorted, read }, query);
  const found = await Promise.all(sids.map(read));
  const items = found.filter((record) => record !== null);
  if (items.length < sids.length) return await readPage(source, query, read); // One went meanwhile.
  const total = passed ?? (await list<T>(source, { ...query, limit: 0 })).total;
  return { items, total };
}
