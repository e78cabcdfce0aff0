import { emptyBatch, keyText } from "../store/batch.ts";
import { type FieldPlace, keys, ordOf } from "../store/keys.ts";
import { type PackedTexts, packWithout } from "../records/text_pack.ts";
import type { Old } from "./remove_old.ts";
import type { KeyValueStore, KvEntry } from "../store/key_value_store.ts";

/** Attempts to write a pack that others change. */
const mostAttempts = 10;

/**
 * Removes the texts of removed records from the packs of their fields: a pack keeps them otherwise, and
 * marks them stale.
 */
export async function forgetTexts(
  { kv, committer, place, layout }: Old,
  sids: string[],
): Promise<void> {
  for (const field of layout.texts) {
    const at = { ...place, field };
    let left = sids;
    for (let attempt = 1; left.length > 0 && attempt <= mostAttempts; attempt++) {
      const packs = await packsOf(kv, at, left);
      left = [];
      for (const { pack, ords } of packs) {
        const batch = emptyBatch();
        const gone = new Set(ords.map((ord) => ord.toHex()));
        batch.checks.push(pack);
        batch.sets.push({ key: pack.key, value: packWithout(pack.value, gone) });
        for (const ord of ords) batch.deletes.push(keys.staleText(at, ord));
        if (await committer.commit(batch) !== null) continue;
        left.push(...ords.map((ord) => place.prefix + ord.toHex()));
      }
    }
  }
}

interface Packed {
  pack: KvEntry<PackedTexts>;
  ords: Uint8Array[];
}

/**
 * The packs that texts are in: each is stored under the ord of its last record. A text that is not packed
 * yet is in none; it stays marked, in case that it is being packed.
 */
async function packsOf(kv: KeyValueStore, at: FieldPlace, sids: string[]): Promise<Packed[]> {
  const packs = new Map<string, Packed>();
  await Promise.all(
    sids.map(ordOf).map(async (ord) => {
      const selector = { start: keys.texts(at, ord), end: keys.stale(at) };
      const [pack] = await Array.fromAsync(kv.list<PackedTexts>(selector, { limit: 1 }));
      if (pack === undefined) return;
      const name = keyText(pack.key);
      const known = packs.get(name) ?? { pack, ords: [] };
      known.ords.push(ord);
      packs.set(name, known);
    }),
  );
  return [...packs.values()];
}
