import type { Batch } from "../store/batch.ts";

/**
 * A unique value that a batch frees and takes again passes from one record to another: it is
 * replaced, guarded by the check of the record that had it.
 */
export function transferUniqueKeys(batch: Batch): void {
  for (const freed of batch.deletes) {
    if (!batch.sets.some(({ key }) => isSameKey(key, freed))) continue;
    batch.deletes = batch.deletes.filter((key) => key !== freed);
    batch.checks = batch.checks.filter(({ key }) => !isSameKey(key, freed));
  }
}

const isSameKey = (a: Deno.KvKey, b: Deno.KvKey): boolean =>
  a.length === b.length && a.every((part, at) => part === b[at]);
