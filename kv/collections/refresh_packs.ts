/**
 * Packs keep the texts of records as they were when they were packed. A text that changes later is marked
 * stale, and each search reads its record. Without this, marks are never removed: an account that redacts
 * many messages has searches that grow slower for ever.
 */
import { emptyBatch } from "../store/batch.ts";
import type { Committer } from "../store/commit.ts";
import { recordsOf } from "../lists/lookups.ts";
import { type FieldPlace, keys, ordOf, sidOf } from "../store/keys.ts";
import { textOf } from "../records/layout.ts";
import type { RecordCodec } from "../records/record_codec.ts";
import { type PackedTexts, packWith } from "../records/text_pack.ts";
import type { KeyValueStore, KvEntry } from "../store/key_value_store.ts";

/** Stale texts of a pack from which on it is rewritten. */
const staleOfPack = 32;
/** Marks that one commit removes, each with a check; KV takes 100 checks. */
const marksOfCommit = 50;

interface Refreshing {
  kv: KeyValueStore;
  committer: Committer;
  codec: RecordCodec;
  at: FieldPlace;
  signal: AbortSignal;
}

type Mark = KvEntry<unknown>;

/**
 * Writes the present texts of records into packs that have many stale ones, and removes their
 * marks. `marks` are those of the field, oldest record first. A text that is longer than before
 * stays stale if it does not fit. Throws when the signal aborts.
 */
export async function refreshPacks(refreshing: Refreshing, marks: Mark[]): Promise<void> {
  const { kv, at, signal } = refreshing;
  for (let from = 0; from < marks.length;) {
    signal.throwIfAborted();
    const first = ordOf(sidOf(at.prefix, marks[from]!.key)); // The loop ends with the marks.
    const selector = { start: keys.texts(at, first), end: keys.stale(at) };
    const [pack] = await Array.fromAsync(kv.list<PackedTexts>(selector, { limit: 1 }));
    if (pack === undefined) return; // The others are not packed yet.
    const last = sidOf(at.prefix, pack.key);
    const beyond = marks.findIndex((mark, n) => n > from && sidOf(at.prefix, mark.key) > last);
    const end = beyond < 0 ? marks.length : beyond;
    if (end - from >= staleOfPack) await refresh(refreshing, pack, marks.slice(from, end));
    from = end;
  }
}

async function refresh(
  { kv, committer, codec, at }: Refreshing,
  pack: KvEntry<PackedTexts>,
  marks: Mark[],
): Promise<void> {
  const sids = marks.map(({ key }) => sidOf(at.prefix, key));
  const entries = await recordsOf(kv, at, { sids, isSparse: true });
  const texts = new Map(entries.map((entry, n) => {
    const text = entry === null ? "" : textOf(codec.decode(entry), at.field).toLowerCase();
    return [ordOf(sids[n]!).toHex(), text]; // There is an entry for each Sid.
  }));
  const { packed, replaced } = packWith(pack.value, texts);
  if (replaced.size === 0) return;
  const batch = emptyBatch();
  batch.checks.push(pack);
  batch.sets.push({ key: pack.key, value: packed });
  if (await committer.commit(batch) === null) return; // Another change of the pack was first.
  const settled = marks.filter((_, n) => replaced.has(ordOf(sids[n]!).toHex()));
  for (let n = 0; n < settled.length; n += marksOfCommit) {
    const removal = emptyBatch();
    for (const mark of settled.slice(n, n + marksOfCommit)) {
      removal.checks.push(mark); // A text that changed meanwhile is marked anew.
      removal.deletes.push(mark.key);
    }
    await committer.commit(removal);
  }
}
