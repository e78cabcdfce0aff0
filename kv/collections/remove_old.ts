import { limits } from "../../core/base/limits.ts";
import type { AnyRecord } from "../../core/model/resource.ts";
import { sidTime } from "../../core/base/sid.ts";
import { emptyBatch, keyText } from "../store/batch.ts";
import type { Committer } from "../store/commit.ts";
import { dropNotes } from "../counters/deepen.ts";
import { bucketAt, levels, windowAt } from "../store/counters.ts";
import { type FieldPlace, type IndexValue, keys, ordAt, type Place } from "../store/keys.ts";
import type { Layout } from "../records/layout.ts";
import type { Stored } from "../cache/record_cache.ts";
import type { KeyValueStore, KvU64 } from "../store/key_value_store.ts";

/** The store from which records are removed. */
export interface Old {
  kv: KeyValueStore;
  committer: Committer;
  /** Other processes write to the store. */
  isShared: boolean;
  place: Place;
  layout: Layout;
}

/** The oldest records made before an instant in ms for which `isWanted` is true. */
export async function oldEntries(
  { kv, place }: Pick<Old, "kv" | "place">,
  before: number,
  isWanted: (entry: Stored) => boolean,
): Promise<Stored[]> {
  const all = { ...place, field: "" };
  const selector = {
    start: keys.entry(all, "", ordAt(-Infinity)),
    end: keys.entry(all, "", ordAt(before)),
  };
  const found: Stored[] = [];
  const batchSize = limits.removedAtOnce;
  for await (const entry of kv.list<unknown>(selector, { batchSize })) {
    if (isWanted(entry)) found.push(entry);
    if (found.length === limits.removedAtOnce) break;
  }
  return found;
}

/**
 * Deletes the counters that removed records left at 0. A value such as the Sid of a call is not
 * used again, and its counters would stay for ever. A counter that moves meanwhile stays.
 */
export async function sweepCounters(
  { kv, committer, isShared, place, layout }: Old,
  removed: AnyRecord[],
): Promise<void> {
  if (removed.length === 0) return;
  const times = removed.map(({ sid }) => sidTime(sid));
  const [from, to] = [Math.min(...times), Math.max(...times)];
  const swept = new Map<string, { at: FieldPlace; value: IndexValue }>();
  for (const { field, valueOf } of layout.indexes) {
    for (const value of removed.map(valueOf)) {
      const at = { ...place, field };
      if (value !== null) swept.set(keyText(keys.value(at, value)), { at, value });
    }
  }
  await Promise.all([...swept.values()].map(async ({ at, value }) => {
    for (const level of levels) {
      const counter = (bucket: number) => keys.counter({ ...at, value }, level.level, bucket);
      const [start, end] = [counter(bucketAt(from, level)), counter(bucketAt(to, level) + 1)];
      for await (const entry of kv.list<KvU64>({ start, end }, { batchSize: 32 })) {
        if (entry.value.value !== 0n) continue;
        const batch = emptyBatch();
        batch.checks.push(entry);
        batch.deletes.push(entry.key);
        await committer.commit(batch);
      }
    }
  }));
  await dropNotes({ kv, committer, isShared }, place, new Set(times.map(windowAt)));
}
