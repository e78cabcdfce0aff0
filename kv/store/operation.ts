import type { Batch } from "./batch.ts";
import type { Moved } from "./counters.ts";
import { keys, type Place } from "./keys.ts";

/** The lowest hints of lanes in a store that only this process writes to; null for another. */
export type Hints = Map<string, number> | null;

/** The hint of a lane with a job that is due at a time. */
export const hintOf = (hints: Hints, lane: string, at: number): number =>
  Math.min(at, hints?.get(lane) ?? at);

/** The writes of a batch, with the counters that it moves, as one operation of the store. */
export function operation(
  kv: Deno.Kv,
  batch: Batch,
  { moved, hints }: { moved: Moved[]; hints: Hints },
): Deno.AtomicOperation {
  const op = kv.atomic();
  op.check(...batch.checks);
  for (const { key, value } of batch.sets) op.set(key, value);
  for (const key of batch.deletes) op.delete(key);
  const due = new Map<string, number>();
  for (const { lane, at } of batch.due) due.set(lane, Math.min(at, due.get(lane) ?? at));
  for (const { key, by } of batch.sums.values()) if (by !== 0) op.sum(key, unsigned(by));
  for (const { key, level, bucket, by } of moved) {
    op.sum([...key, ...keys.bucket(level.level, bucket)], unsigned(by));
  }
  for (const { key, to } of batch.raises.values()) op.max(key, BigInt(to));
  for (const [lane, at] of due) {
    // The hint in the store is low enough where this process alone writes to it, and has before.
    if (!((hints?.get(lane) ?? Infinity) <= at)) op.min(keys.lane(lane), BigInt(Math.floor(at)));
  }
  if (due.size > 0 && hints === null) op.sum(keys.wake, 1n);
  return op;
}

/** Sets the version of each list that a batch writes to. */
export function stageVersions(op: Deno.AtomicOperation, { sets, deletes }: Batch): void {
  const lists = new Map<string, Place>();
  for (const key of sets.map(({ key }) => key).concat(deletes)) {
    const [account, prefix] = key;
    if (typeof account !== "bigint" || typeof prefix !== "string") continue;
    lists.set(`${account} ${prefix}`, { account, prefix });
  }
  for (const place of lists.values()) op.set(keys.listVersion(place), true);
}

const unsigned = (by: number): bigint => BigInt.asUintN(64, BigInt(by));
