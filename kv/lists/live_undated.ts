import { sidTime } from "../../core/base/sid.ts";
import type { Span } from "../store/counters.ts";
import { type Index, type Measured, topIn } from "./counts.ts";
import { firstEntries } from "./entries.ts";
import type { ExcludedEntries } from "./excluded.ts";
import { undatedField } from "../records/layout.ts";
import { isDearer, membersOf, spanAround } from "./lookups.ts";
import type { KeyValueStore } from "../store/key_value_store.ts";

/**
 * Records without dates are read while they are few: this many, or this many times the index's
 * entries.
 */
const [fewUndated, mostTimes] = [100, 3];

/**
 * The entries of an index in a span whose records are under way and lack one of these combinations
 * of dates. It starts from the smaller set: the records under way, or the entries of the index.
 */
export async function liveUndatedIn(
  kv: KeyValueStore,
  measured: Measured,
  { lacking, span }: { lacking: string[]; span: Span },
): Promise<ExcludedEntries | undefined> {
  const { index, total } = measured;
  const undated: Index = { ...index, field: undatedField, values: lacking };
  const most = Math.max(fewUndated, mostTimes * total);
  const listed = await firstEntries(kv, undated, { range: { span }, limit: most });
  const [from, among] = listed.length < most
    ? [listed, index]
    : [await firstEntries(kv, index, { range: { span }, limit: Infinity }), undated];
  if (from.length === 0) return undefined;
  const sids = from.map(({ sid }) => sid);
  const around = spanAround(sids);
  const lookups = sids.length * index.values.length;
  const isSparse = among === undated || isDearer(topIn(measured, around), lookups);
  const members = await membersOf(kv, among, { sids, isSparse });
  const found = sids.filter((sid) => members.has(sid)).reverse();
  return found.length === 0 ? undefined : { sids: new Set(found), times: found.map(sidTime) };
}
