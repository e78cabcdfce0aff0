/**
 * Receipts. The client of KV Connect sends a commit again when its response is lost, and the second one
 * conflicts with the first. Each commit raises a number of its instance, which shows that the first was
 * made. The number is kept by day; an instance that starts removes those of three days ago.
 */
import { Fault } from "../../core/base/faults.ts";
import type { Clocks } from "../../core/base/steady_clock.ts";
import type { Committed } from "./batch.ts";
import { keys } from "./keys.ts";
import type { AtomicOperation, KeyValueStore, KvU64 } from "./key_value_store.ts";

/** Proves whether a commit was made although its response says that a check failed. */
export interface Receipt {
  /** Adds the proof to the next commit. Commits of one receipt follow each other. */
  stage(op: AtomicOperation): void;
  /** The last commit, if it was made. Throws `unavailable` when the proof may be removed by now. */
  find(): Promise<Committed>;
}

/** The receipt of a store that makes each commit once: it answers for itself. */
export const noReceipt: Receipt = { stage() {}, find: () => Promise.resolve(null) };

const dayMs = 86_400_000;

/** Days after which receipts are of no use. */
const keptDays = 3;

const dayOf = (ms: number): number => Math.floor(ms / dayMs);

/**
 * The client of a remote store sends a commit again when the response to it is lost. The checks
 * then fail, as the first one changed their entries. A receipt, written by the first, proves that
 * this writer made the commit: the number of its commits, which never falls. Its key has the UTC
 * day of the commit; the first commit of another day moves it. Receipts of writers that are gone
 * are removed when an instance starts days later.
 */
export function receiptOf(kv: KeyValueStore, { now, steadyNow }: Clocks): Receipt {
  const writer = crypto.randomUUID();
  let made = 0n;
  const at = () => ({ wall: now(), steady: steadyNow() });
  let last = { key: keys.receipt(dayOf(now()), writer), stagedAt: at() };
  return {
    stage(op) {
      const key = keys.receipt(dayOf(now()), writer);
      if (key[1] !== last.key[1]) op.delete(last.key); // Its commits were answered.
      last = { key, stagedAt: at() };
      op.max(key, ++made);
    },
    async find() {
      // An instance that was suspended for days may find its receipt removed. The monotonic clock
      // stands while the machine is suspended.
      const { wall, steady } = last.stagedAt;
      const isLost = Math.max(now() - wall, steadyNow() - steady) > dayMs;
      if (isLost) throw new Fault("unavailable", "the store responded too late");
      const { value, versionstamp } = await kv.get<KvU64>(last.key);
      return versionstamp !== null && value.value === made ? { versionstamp } : null;
    },
  };
}

/** Removes the receipts of writers that are gone. */
export async function sweepReceipts(kv: KeyValueStore, now: number): Promise<void> {
  const end = [...keys.receipts, Math.max(0, dayOf(now) - keptDays + 1)];
  const old = await Array.fromAsync(kv.list({ start: [...keys.receipts, 0], end }));
  await Promise.all(old.map(({ key }) => kv.delete(key)));
}
