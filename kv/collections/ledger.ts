import type { DayOfUsage, Ledger } from "../../core/model/ports/ports.ts";
import type { Charge } from "../../core/model/store.ts";
import { type Batch, stageSum } from "../store/batch.ts";
import { keys } from "../store/keys.ts";
import type { KeyValueStore, KvU64 } from "../store/key_value_store.ts";

const dayMs = 86_400_000;
const amounts = ["count", "usage", "price"] as const;
type Amount = (typeof amounts)[number];

/**
 * Adds charges to the sums of their days. They are sums and not entries, so that a year of calls
 * reads as 365 days. The record of each call, message or number holds its own charge.
 */
export function stageCharges(batch: Batch, account: bigint, charges: Charge[]): void {
  for (const { category, priceMicros, usage, at } of charges) {
    const by: Record<Amount, number> = { count: 1, usage, price: priceMicros };
    const day = Math.floor(at / dayMs);
    for (const what of amounts) {
      stageSum(batch, keys.charge({ account, day, category, what }), by[what]);
    }
  }
}

/** Reads the sums of charges that `stageCharges` wrote. */
export function ledger({ kv, accountNumber }: {
  kv: KeyValueStore;
  /** The number of an account in keys; null when there is no such account. */
  accountNumber(accountSid: string): Promise<bigint | null>;
}): Ledger {
  return {
    async days(accountSid, { from, before }) {
      const account = await accountNumber(accountSid);
      const days: DayOfUsage[] = [];
      if (account === null || from >= before) return days;
      const selector = {
        start: keys.chargesOf(account, Math.floor(from / dayMs)),
        end: keys.chargesOf(account, Math.ceil(before / dayMs)),
      };
      const sums = kv.list<KvU64>(selector, { reverse: true });
      for await (const { key, value } of sums) {
        const [number, category, what] = key.slice(2) as [number, Charge["category"], Amount];
        let day = days.at(-1);
        if (day?.day !== number * dayMs) days.push(day = { day: number * dayMs, sums: [] });
        let sum = day.sums.at(-1);
        if (sum?.category !== category) {
          day.sums.push(sum = { category, count: 0, usage: 0, priceMicros: 0 });
        }
        sum[what === "price" ? "priceMicros" : what] = Number(value.value);
      }
      return days;
    },
  };
}
