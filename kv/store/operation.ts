import type { Batch } from "./batch.ts";
import type { Moved } from "./counters.ts";
import { keys, type Place } from "./keys.ts";
import type { AtomicOperation, KeyValueStore, KvKey } from "./key_value_store.ts";

/** Numbers of a store that only this process writes to, as its commits left them. */
export interface KnownNumbers {
  /** The lowest hints of lanes. */
  hints: Map<string, number>;
  /** Raised numbers, by the text of their key. */
  raised: Map<string, number>;
}

export const noNumbers = (): KnownNumbers => ({ hints: new Map(), raised: new Map() });

/** The most cached numbers of each kind; above it, all are dropped. */
const mostKnown = 20_000;

/** Takes over the numbers that a commit has left. */
export function learnNumbers({ hints, raised }: KnownNumbers, { due, raises }: Batch): void {
  if (hints.size > mostKnown) hints.clear();
  if (raised.size > mostKnown) raised.clear();
  for (const { lane, at } of due) hints.set(lane, Math.min(at, hints.get(lane) ?? at));
  for (const [text, { to }] of raises) raised.set(text, Math.max(to, raised.get(text) ?? to));
}

/** The writes of a batch, with the counters that it moves, as one operation of the store. */
export function operation(
  kv: KeyValueStore,
  batch: Batch,
  { moved, known }: {
    moved: Moved[];
    /** Null for a store that other processes write to. */
    known: KnownNumbers | null;
  },
): AtomicOperation {
  const op = kv.atomic();
  for (const check of batch.checks) op.check(check);
  for (const { key, value } of batch.sets) op.set(key, value);
  for (const key of batch.deletes) op.delete(key);
  for (const { key, by } of batch.sums.values()) if (by !== 0) op.sum(key, unsigned(by));
  for (const { key, level, bucket, by } of moved) {
    op.sum([...key, ...keys.bucket(level.level, bucket)], unsigned(by));
  }
  if (known !== null && batch.deletes.some(isRaised)) known.raised.clear();
  for (const [text, { key, to }] of batch.raises) {
    if (!((known?.raised.get(text) ?? -1) >= to)) op.max(key, BigInt(to));
  }
  stageDue(op, batch, known);
  return op;
}

/**
 * Returns whether a key may be that of a raised number: the field of a date, or commits of an
 * instance.
 */
const isRaised = (key: KvKey): boolean => key.length === 3 && typeof key[2] === "string";

/** Lowers the hints of lanes. Those in the store are low enough where this process has lowered them before. */
function stageDue(op: AtomicOperation, batch: Batch, known: KnownNumbers | null): void {
  const due = new Map<string, number>();
  for (const { lane, at } of batch.due) due.set(lane, Math.min(at, due.get(lane) ?? at));
  for (const [lane, at] of due) {
    if (!((known?.hints.get(lane) ?? Infinity) <= at)) {
      op.min(keys.lane(lane), BigInt(Math.floor(at)));
    }
  }
  if (due.size > 0 && known === null) op.sum(keys.wake, 1n);
}

/** Sets the version of each list that a batch writes to. */
export function stageVersions(op: AtomicOperation, { sets, deletes }: Batch): void {
  const lists = new Map<string, Place>();
  for (const key of sets.map(({ key }) => key).concat(deletes)) {
    const [account, prefix] = key;
    if (typeof account !== "bigint" || typeof prefix !== "string") continue;
    lists.set(`${account} ${prefix}`, { account, prefix });
  }
  for (const place of lists.values()) op.set(keys.listVersion(place), true);
}

const unsigned = (by: number): bigint => BigInt.asUintN(64, BigInt(by));
