import type { Condition } from "../core/filters.ts";
import type { AnyRecord } from "../core/resource.ts";
import type { Index } from "./counts.ts";
import { firstEntries, type Range } from "./entries.ts";
import type { Gaps } from "./gaps.ts";
import type { Source } from "./plan.ts";
import { passing } from "./scan.ts";

/** What a page shows of an index. */
export interface Wanted {
  index: Index;
  gaps?: Gaps;
  where: Condition[];
  /** Of the first page, which is asked for more often than all others. */
  isFirst: boolean;
  /** The records are few among all, so that each is looked up. */
  isSparse: boolean;
  range: Range;
  limit: number;
  skip?: number;
}

/** The first records of an index's range; another takes the place of one that changed meanwhile. */
export async function take(source: Source, wanted: Wanted): Promise<AnyRecord[]> {
  const { index, gaps, where, isFirst, isSparse, range, limit, skip = 0 } = wanted;
  if (limit === 0) return [];
  const listed = await firstEntries(source.kv, index, { range, limit: skip + limit });
  const meant = gaps === undefined ? listed : listed.filter(({ sid }) => !gaps.sids.has(sid));
  const asked = { where, isSparse, isRecalled: isFirst };
  const found = await passing(source, meant.slice(skip), asked);
  const records = found.map(({ record }) => record);
  const missing = limit - records.length;
  if (missing === 0 || listed.length < skip + limit) return records;
  const further = {
    ...wanted,
    range: { ...range, after: listed.at(-1)!.sid },
    limit: missing,
    skip: Math.max(0, skip - meant.length),
  };
  return records.concat(await take(source, further));
}
