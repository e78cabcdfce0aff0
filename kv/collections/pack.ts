import { betweenPieces } from "../../core/base/loop_work.ts";
import { sidTime } from "../../core/base/sid.ts";
import type { AnyRecord } from "../../core/model/resource.ts";
import { type Batch, emptyBatch } from "../store/batch.ts";
import type { Committer } from "../store/commit.ts";
import { allOf } from "../lists/entries.ts";
import { type FieldPlace, keys, ordAt, ordOf, type Place, sidOf } from "../store/keys.ts";
import { type Layout, textOf } from "../records/layout.ts";
import { sidIn, type Transition } from "../records/indexes.ts";
import type { RecordCodec } from "../records/record_codec.ts";
import { refreshPacks } from "./refresh_packs.ts";
import { add, emptyPack, fits, type Pack, packedTexts } from "../records/text_pack.ts";
import type { KeyValueStore, KvEntry, KvEntryMaybe } from "../store/key_value_store.ts";

/**
 * Texts are packed when their record is so old that no commit of a new record can be under way. A
 * text that is added, changed or removed later than `freshMs` after the time of its Sid is marked
 * stale in the same commit, packed or not. A search reads the record of a stale text.
 */
const freshMs = 60_000;

/** The age from which texts are packed. */
export const packedAfterMs = 10 * 60_000;

/** Marks the texts of a record stale that this change makes differ from their pack. */
export function stageTexts(
  batch: Batch,
  { place, layout, now }: { place: Place; layout: Layout; now: number },
  change: Transition,
): void {
  const { before, after } = change;
  const sid = sidIn(change);
  if (now - sidTime(sid) <= freshMs) return;
  for (const field of layout.texts) {
    const isSame = before !== undefined && after !== undefined &&
      textOf(before, field) === textOf(after, field);
    if (isSame) continue;
    batch.sets.push({ key: keys.staleText({ ...place, field }, ordOf(sid)), value: null });
  }
}

/** About one record in a thousand starts a packing, so that about a thousand texts are unpacked. */
export const asksForPacking = (sid: string): boolean => (parseInt(sid.slice(-3), 16) & 1023) === 0;

interface Packing {
  kv: KeyValueStore;
  committer: Committer;
  codec: RecordCodec;
  at: FieldPlace;
  /** In ms: younger records are left for later. */
  before: number;
  signal: AbortSignal;
}

/**
 * Packs the texts of a field that are old enough, and refreshes packs with many stale texts. When several packings run at once, one continues
 * and the others end. Throws when the signal aborts.
 */
export async function packTexts(packing: Packing): Promise<void> {
  const { kv, at, signal } = packing;
  const stale = await Array.fromAsync(kv.list({ prefix: keys.stale(at) }));
  await refreshPacks(packing, stale);
  const first = await kv.get<Uint8Array>(keys.field(at));
  let last = first;
  let pack = emptyPack();
  for await (const record of unpacked(packing, first.value)) {
    signal.throwIfAborted();
    const text = textOf(record, at.field).toLowerCase();
    if (!fits(pack, text) && pack.ords.length > 0) {
      const next = await store(packing, pack, last);
      if (next === null) return;
      [last, pack] = [next, emptyPack()];
      await betweenPieces();
    }
    add(pack, record.sid, text);
  }
  if (last === first || last.value === null) return;
  await settle(packing, stale, { from: first.value, to: last.value });
}

/** The records that are old enough and younger than the last packed one, oldest first. */
async function* unpacked(
  { kv, codec, at, before }: Packing,
  last: Uint8Array | null,
): AsyncGenerator<AnyRecord> {
  const end = ordAt(before);
  if (last !== null && last.toHex() >= end.toHex()) return;
  const all = allOf(at);
  const start = keys.entry(all, "", last ?? ordAt(0));
  const range = { start: last === null ? start : [...start, 0n], end: keys.entry(all, "", end) };
  for await (const entry of kv.list(range, { batchSize: 200 })) yield codec.decode(entry);
}

/** Writes a pack; null when another packing was first. */
async function store(
  { committer, at }: Packing,
  pack: Pack,
  packed: KvEntryMaybe<Uint8Array>,
): Promise<KvEntryMaybe<Uint8Array> | null> {
  const last = pack.ords.at(-1)!; // A pack is stored when it has a record.
  const batch = emptyBatch();
  batch.checks.push(packed);
  batch.sets.push(
    { key: keys.texts(at, last), value: packedTexts(pack) },
    { key: packed.key, value: last },
  );
  for (const ord of pack.left) batch.sets.push({ key: keys.staleText(at, ord), value: null });
  const committed = await committer.commit(batch);
  return committed === null ? null : { key: packed.key, value: last, ...committed };
}

/** Removes the stale marks of texts that were packed now and did not change since. */
async function settle(
  { committer }: Packing,
  stale: KvEntry<unknown>[],
  { from, to }: { from: Uint8Array | null; to: Uint8Array },
): Promise<void> {
  const isPacked = (ord: string) => ord <= to.toHex() && ord > (from?.toHex() ?? "");
  const packed = stale.filter(({ key }) => isPacked(sidOf("", key)));
  await Promise.all(packed.map(async (entry) => {
    const batch = emptyBatch();
    batch.checks.push(entry);
    batch.deletes.push(entry.key);
    await committer.commit(batch);
  }));
}
