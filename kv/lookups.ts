import { sidTime } from "../core/sid.ts";
import type { Index } from "./counts.ts";
import { allOf, firstEntries, type Range } from "./entries.ts";
import { keys, ordOf, type Place } from "./keys.ts";
import type { Stored } from "./record_codec.ts";

/** Looking an entry up costs as much as listing this many. */
const lookupCost = 4;

/** Whether listing so many entries costs more than looking some of them up. */
export const isDearer = (listed: number, lookups: number): boolean => listed > lookupCost * lookups;

/** Of these Sids, newest first, those that an index has an entry of. */
export async function membersOf(
  kv: Deno.Kv,
  index: Index,
  { sids, isSparse }: { sids: string[]; isSparse: boolean },
): Promise<Set<string>> {
  if (isSparse) {
    const lookups = index.values.flatMap((value) =>
      sids.map((sid) => ({ sid, key: keys.entry(index, value, ordOf(sid)) }))
    );
    const entries = await getMany(kv, lookups.map(({ key }) => key));
    return new Set(
      lookups.filter((_, at) => entries[at]!.versionstamp !== null)
        .map(({ sid }) => sid),
    );
  }
  const around = await firstEntries(kv, index, { range: rangeAround(sids), limit: Infinity });
  return new Set(around.map(({ sid }) => sid));
}

/** The entries of the records of these Sids, newest first; those that are gone are left out. */
export async function recordsOf(
  kv: Deno.Kv,
  place: Place,
  { sids, isSparse }: { sids: string[]; isSparse: boolean },
): Promise<Stored[]> {
  if (isSparse) {
    const entries = await getMany(kv, sids.map((sid) => keys.record(place.account, sid)));
    return entries.flatMap((entry) => entry.versionstamp === null ? [] : [entry]);
  }
  const wanted = new Set(sids);
  const records: Stored[] = [];
  const ask = { range: rangeAround(sids), limit: sids.length * listedFor };
  const listed = await firstEntries(kv, allOf(place), ask);
  for (const { sid, entry } of listed) if (wanted.has(sid)) records.push(entry!);
  const last = listed.at(-1)?.sid ?? "";
  const left = listed.length < ask.limit ? [] : sids.filter((sid) => sid < last);
  return left.length === 0
    ? records
    : records.concat(await recordsOf(kv, place, { sids: left, isSparse: true }));
}

/** Records that may be listed for each one that is wanted. */
const listedFor = 8;

/** The range from the last of these Sids to the first. */
function rangeAround(sids: string[]): Range {
  return { span: { from: sidTime(sids.at(-1)!), before: sidTime(sids[0]!) + 1 } };
}

/** What one `getMany` may ask for. */
const keysAtOnce = 10;

async function getMany(kv: Deno.Kv, wanted: Deno.KvKey[]): Promise<Deno.KvEntryMaybe<unknown>[]> {
  const parts: Promise<Deno.KvEntryMaybe<unknown>[]>[] = [];
  for (let at = 0; at < wanted.length; at += keysAtOnce) {
    parts.push(kv.getMany<unknown[]>(wanted.slice(at, at + keysAtOnce)));
  }
  return (await Promise.all(parts)).flat();
}
