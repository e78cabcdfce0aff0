import { sidTime } from "../../core/base/sid.ts";
import type { Span } from "../store/counters.ts";
import type { Index } from "./counts.ts";
import { firstEntries, firstRecords, type Range } from "./entries.ts";
import { keys, ordOf, type Place } from "../store/keys.ts";
import type { Stored } from "../cache/record_cache.ts";
import type { KeyValueStore, KvEntryMaybe, KvKey } from "../store/key_value_store.ts";

/** The cost of one lookup, in listed entries. */
const lookupCost = 4;

/** Returns whether listing `listed` entries costs more than `lookups` lookups. */
export const isDearer = (listed: number, lookups: number): boolean => listed > lookupCost * lookups;

/** The Sids of these, newest first, that have an entry in an index. */
export async function membersOf(
  kv: KeyValueStore,
  index: Index,
  { sids, isSparse }: { sids: string[]; isSparse: boolean },
): Promise<Set<string>> {
  if (isSparse) {
    const lookups = index.values.flatMap((value) =>
      sids.map((sid) => ({ sid, key: keys.entry(index, value, ordOf(sid)) }))
    );
    const entries = await getMany(kv, lookups.map(({ key }) => key));
    return new Set(
      lookups.filter((_, at) => (entries[at]?.versionstamp ?? null) !== null)
        .map(({ sid }) => sid),
    );
  }
  const around = await firstEntries(kv, index, { range: rangeAround(sids), limit: Infinity });
  return new Set(around.map(({ sid }) => sid));
}

/**
 * The entries of the records of these Sids, newest first, in their order; null for a removed one.
 */
export async function recordsOf(
  kv: KeyValueStore,
  place: Place,
  { sids, isSparse }: { sids: string[]; isSparse: boolean },
): Promise<(Stored | null)[]> {
  if (isSparse) {
    const entries = await getMany(kv, sids.map((sid) => keys.record(place.account, sid)));
    return entries.map((entry) => entry.versionstamp === null ? null : entry);
  }
  const ask = { range: rangeAround(sids), limit: sids.length * listedFor };
  const listed = await firstRecords(kv, place, ask);
  const { found, reached } = inOrder(listed, sids);
  const left = listed.length < ask.limit ? [] : sids.slice(reached);
  if (left.length > 0) {
    found.splice(
      reached,
      left.length,
      ...await recordsOf(kv, place, { sids: left, isSparse: true }),
    );
  }
  return found;
}

/**
 * The listed records of some Sids, both newest first, and the number of Sids that the list reaches.
 * Most listed records are skipped, so that they are compared as bytes.
 */
function inOrder(
  listed: Stored[],
  sids: string[],
): { found: (Stored | null)[]; reached: number } {
  const found = new Array<Stored | null>(sids.length).fill(null);
  const ords = sids.map(ordOf);
  let reached = 0;
  for (const entry of listed) {
    const ord = entry.key[2] as Uint8Array;
    let next = ords[reached];
    while (next !== undefined && compared(next, ord) > 0) next = ords[++reached];
    if (next === undefined) break;
    if (compared(next, ord) === 0) found[reached++] = entry;
  }
  return { found, reached };
}

/**
 * Compares two ords of the same length: positive when the first is greater, 0 when both are equal.
 */
function compared(one: Uint8Array, other: Uint8Array): number {
  for (let at = 0; at < one.length; at++) {
    const difference = one[at]! - other[at]!; // Both have the same length.
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The most listed records for each wanted one. */
const listedFor = 8;

/** The range from the last of these Sids, newest first, to the first; empty without any. */
function rangeAround(sids: string[]): Range {
  return { span: spanAround(sids) };
}

/** The span from the time of the last of these Sids, newest first, to that of the first. */
export function spanAround(sids: string[]): Span {
  const [newest, oldest] = [sids[0], sids.at(-1)];
  if (newest === undefined || oldest === undefined) return { from: 0, before: 0 };
  return { from: sidTime(oldest), before: sidTime(newest) + 1 };
}

/** The most keys of one `getMany`. */
const keysAtOnce = 10;

async function getMany(kv: KeyValueStore, wanted: KvKey[]): Promise<KvEntryMaybe<unknown>[]> {
  const parts: Promise<KvEntryMaybe<unknown>[]>[] = [];
  for (let at = 0; at < wanted.length; at += keysAtOnce) {
    parts.push(kv.getMany<unknown[]>(wanted.slice(at, at + keysAtOnce)));
  }
  return (await Promise.all(parts)).flat();
}
