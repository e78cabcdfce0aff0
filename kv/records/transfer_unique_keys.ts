import type { Batch } from "../store/batch.ts";
import type { KvKey } from "../store/key_value_store.ts";

/**
 * A unique value that a batch both deletes and sets moves from one record to another. Its key is
 * replaced; the check of the record that had the value guards it.
 */
export function transferUniqueKeys(batch: Batch): void {
  for (const freed of batch.deletes) {
    if (!batch.sets.some(({ key }) => isSameKey(key, freed))) continue;
    batch.deletes = batch.deletes.filter((key) => key !== freed);
    batch.checks = batch.checks.filter(({ key }) => !isSameKey(key, freed));
  }
}

const isSameKey = (a: KvKey, b: KvKey): boolean =>
  a.length === b.length && a.every((part, at) => part === b[at]);
