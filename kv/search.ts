import type { Base } from "../core/ports.ts";
import { sidTime } from "../core/sid.ts";
import { overlap } from "./counters.ts";
import { allOf, boundsOf, entriesOf, type Found, type Range, recordsOf } from "./entries.ts";
import { keys, ordOf, sidOf } from "./keys.ts";
import { textOf } from "./layout.ts";
import type { Source } from "./plan.ts";
import { hitsIn, type PackedTexts } from "./text_pack.ts";

/** A part of a text to look for; lower-case. */
export interface Sought {
  field: string;
  part: string;
}

/** Packed values that one read asks of the store: about a megabyte. */
const packsAtOnce = 16;

/** The records of a range whose field contains a text in any case, newest first. */
export async function* search<T extends Base>(
  source: Source,
  sought: Sought,
  range: Range,
): AsyncGenerator<Found<T>> {
  const { kv, place } = source;
  const { value: packed } = await kv.get<Uint8Array>(keys.field({ ...place, field: sought.field }));
  const last = packed === null ? "" : place.prefix + packed.toHex();
  const since = { from: last === "" ? 0 : sidTime(last), before: Infinity };
  const tail = { ...range, span: overlap(range.span, since) };
  for await (const { sid, record } of entriesOf<T>(kv, allOf(place), { range: tail })) {
    if (sid <= last) break;
    if (contains(record!, sought)) yield { sid, record: record! };
  }
  if (last === "") return;
  const isAsked = between(range);
  const doubtful = await doubtfulTexts<T>(source, sought, last);
  const fresh = doubtful.records.filter((record) =>
    isAsked(record.sid) && contains(record, sought)
  );
  for await (const sid of packedHits(source, sought, { range, last })) {
    while (fresh.length > 0 && fresh[0]!.sid > sid) yield found(fresh.shift()!);
    if (isAsked(sid) && !doubtful.sids.has(sid)) yield { sid };
  }
  yield* fresh.map(found);
}

const found = <T extends Base>(record: T): Found<T> => ({ sid: record.sid, record });

const contains = (record: Base, { field, part }: Sought): boolean =>
  textOf(record, field).toLowerCase().includes(part);

function between(range: Range): (sid: string) => boolean {
  const bounds = boundsOf(range);
  if (bounds === null) return () => false;
  const [start, end] = [bounds.start.toHex(), bounds.end.toHex()];
  return (sid) => sid.slice(2) >= start && sid.slice(2) < end;
}

/** The packed records whose packed text may be wrong, newest first: they themselves are asked. */
async function doubtfulTexts<T extends Base>(
  { kv, place }: Source,
  { field }: Sought,
  last: string,
): Promise<{ sids: Set<string>; records: T[] }> {
  const sids: string[] = [];
  const stale = kv.list({ prefix: keys.stale({ ...place, field }) }, { reverse: true });
  for await (const { key } of stale) {
    const sid = sidOf(place.prefix, key);
    if (sid <= last) sids.push(sid);
  }
  return { sids: new Set(sids), records: await recordsOf<T>(kv, place, { sids, isSparse: true }) };
}

/** The Sids whose packed text contains the part, newest first; some around the range as well. */
async function* packedHits(
  { kv, place }: Source,
  { field, part }: Sought,
  { range, last }: { range: Range; last: string },
): AsyncGenerator<string> {
  const bounds = boundsOf(range);
  if (bounds === null) return;
  const at = { ...place, field };
  const end = [...keys.texts(at, ordOf(last)), 0n]; // After the last one.
  const selector = { start: keys.texts(at, bounds.start), end };
  const packs = kv.list<PackedTexts>(selector, { reverse: true, batchSize: packsAtOnce });
  for await (const { value } of packs) {
    for (const ord of hitsIn(value, part).reverse()) yield place.prefix + ord.toHex();
  }
}
