import type { AnyRecord } from "../../core/model/resource.ts";
import { sidTime } from "../../core/base/sid.ts";
import { overlap } from "../store/counters.ts";
import {
  allOf,
  boundsOf,
  entriesOf,
  type Found,
  inChunks,
  type Range,
  readAtOnce,
} from "./entries.ts";
import { keys, ordOf, sidOf } from "../store/keys.ts";
import { recordsOf } from "./lookups.ts";
import { textOf } from "../records/layout.ts";
import type { Source } from "./plan.ts";
import { hitsIn, type PackedTexts } from "../records/text_pack.ts";

/** A part of a text to search for, in lower case. */
export interface Sought {
  field: string;
  part: string;
}

/** Packs of one read: about a megabyte. */
const packsAtOnce = 16;

/** The records of a range whose field contains a text in any case, newest first, in pieces. */
export async function* search(
  source: Source,
  sought: Sought,
  range: Range,
): AsyncGenerator<Found[]> {
  const { kv, place } = source;
  const { value: packed } = await kv.get<Uint8Array>(keys.field({ ...place, field: sought.field }));
  const last = packed === null ? "" : place.prefix + packed.toHex();
  yield* inChunks(unpackedHits(source, sought, { range, last }), readAtOnce);
  if (last === "") return;
  const isInside = between(range);
  const { sids: stale, hits: fresh } = await staleTexts(source, sought, { last, isInside });
  for await (const sids of packedHits(source, sought, { range, last })) {
    const found: Found[] = [];
    for (const sid of sids) {
      const older = fresh.findIndex((one) => one.sid <= sid);
      for (const one of fresh.splice(0, older < 0 ? fresh.length : older)) found.push(one);
      if (isInside(sid) && !stale.has(sid)) found.push({ sid });
    }
    yield found;
  }
  yield fresh;
}

/** The matching records that are younger than the last packed one. */
async function* unpackedHits(
  { kv, place, codec }: Source,
  sought: Sought,
  { range, last }: { range: Range; last: string },
): AsyncGenerator<Found> {
  const since = { from: last === "" ? 0 : sidTime(last), before: Infinity };
  const tail = { ...range, span: overlap(range.span, since) };
  for await (const { sid, entry } of entriesOf(kv, allOf(place), { range: tail })) {
    if (sid <= last) return;
    // Entries of the index of all records are the records.
    if (entry !== undefined && contains(codec.decode(entry), sought)) yield { sid, entry };
  }
}

const contains = (record: AnyRecord, { field, part }: Sought): boolean =>
  textOf(record, field).toLowerCase().includes(part);

function between(range: Range): (sid: string) => boolean {
  const bounds = boundsOf(range);
  if (bounds === null) return () => false;
  const [start, end] = [bounds.start.toHex(), bounds.end.toHex()];
  return (sid) => {
    const hex = sid.slice(2);
    return hex >= start && hex < end;
  };
}

/**
 * The packed records whose text in the pack may be stale, and those of them that match, newest first.
 * They are read from the store a few at a time: an account may have very many.
 */
async function staleTexts(
  { kv, place, codec }: Source,
  sought: Sought,
  { last, isInside }: { last: string; isInside: (sid: string) => boolean },
): Promise<{ sids: Set<string>; hits: Found[] }> {
  const sids: string[] = [];
  const prefix = keys.stale({ ...place, field: sought.field });
  const stale = kv.list({ prefix }, { reverse: true });
  for await (const { key } of stale) {
    const sid = sidOf(place.prefix, key);
    if (sid <= last) sids.push(sid);
  }
  const hits: Found[] = [];
  for (let at = 0; at < sids.length; at += readAtOnce) {
    const some = sids.slice(at, at + readAtOnce).filter(isInside);
    for (const entry of await recordsOf(kv, place, { sids: some, isSparse: true })) {
      if (entry === null || !contains(codec.decode(entry), sought)) continue;
      hits.push({ sid: sidOf(place.prefix, entry.key), entry });
    }
  }
  return { sids: new Set(sids), hits };
}

/** The Sids whose text contains the part, by pack, newest first; also some outside of the range. */
async function* packedHits(
  { kv, place }: Source,
  { field, part }: Sought,
  { range, last }: { range: Range; last: string },
): AsyncGenerator<string[]> {
  const bounds = boundsOf(range);
  if (bounds === null) return;
  const at = { ...place, field };
  const end = [...keys.texts(at, ordOf(last)), 0n]; // After the last one.
  const selector = { start: keys.texts(at, bounds.start), end };
  const packs = kv.list<PackedTexts>(selector, { reverse: true, batchSize: packsAtOnce });
  for await (const { value } of packs) {
    yield hitsIn(value, part).reverse().map((hex) => place.prefix + hex);
  }
}
