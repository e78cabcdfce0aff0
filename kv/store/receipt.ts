import { Fault } from "../../core/base/faults.ts";
import type { Committed } from "./batch.ts";
import { keys } from "./keys.ts";

/** Tells whether a commit was made whose answer says that it was not. */
export interface Receipt {
  /** Adds the proof to the next commit. Those of one instance follow each other. */
  stage(op: Deno.AtomicOperation): void;
  /** The last commit, if it was made. Throws `unavailable` when that cannot be told any more. */
  find(): Promise<Committed>;
}

const dayMs = 86_400_000;

/** Receipts that were staged so many days ago are of no use to anybody. */
const keptDays = 3;

const dayOf = (ms: number): number => Math.floor(ms / dayMs);

/**
 * A remote store's client sends a commit again when the answer to it is lost. The second meets the
 * checks that the first has changed, and is refused: only what the first wrote can tell that it was
 * this instance that won. The number never falls, whatever arrives late. It stands under the day of
 * its commit, and moves on with the first one of another day; what is left of instances that are gone
 * is removed by those that start days later.
 */
export function receiptOf(kv: Deno.Kv, now: () => number): Receipt {
  const instance = crypto.randomUUID();
  let made = 0n;
  let last = { key: keys.receipt(dayOf(now()), instance), stagedAt: now() };
  return {
    stage(op) {
      const key = keys.receipt(dayOf(now()), instance);
      if (key[1] !== last.key[1]) op.delete(last.key); // Its commits were answered.
      last = { key, stagedAt: now() };
      op.max(key, ++made);
    },
    async find() {
      // Whoever slept for days may find it removed.
      const isLost = now() - last.stagedAt > dayMs;
      if (isLost) throw new Fault("unavailable", "The store's answer came too late to be trusted");
      const { value, versionstamp } = await kv.get<Deno.KvU64>(last.key);
      return value?.value === made ? { versionstamp: versionstamp! } : null;
    },
  };
}

/** Removes the receipts of days that are long over. */
export async function sweepReceipts(kv: Deno.Kv, now: number): Promise<void> {
  const end = [...keys.receipts, Math.max(0, dayOf(now) - keptDays + 1)];
  const old = await Array.fromAsync(kv.list({ start: [...keys.receipts, 0], end }));
  await Promise.all(old.map(({ key }) => kv.delete(key)));
}
