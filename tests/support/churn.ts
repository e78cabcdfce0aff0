import assert from "node:assert/strict";
import type { AnyRecord } from "../../core/resource.ts";
import { resources } from "../../core/resources/mod.ts";
import { sidTime } from "../../core/sid.ts";
import { bucketAt, levels } from "../../kv/counters.ts";
import { keys, ordOf } from "../../kv/keys.ts";
import { layoutOf } from "../../kv/layout.ts";
import { dice, type StoreLab } from "./store_lab.ts";

const statuses = ["queued", "ringing", "in-progress", "completed", "busy"] as const;

/**
 * Creates, changes and removes calls from many writers at once, some of which meet at one record. The
 * labs are instances of one store; the clock and the Sids are the first one's.
 */
export async function churn(labs: [StoreLab, ...StoreLab[]], operations: number): Promise<void> {
  const [lab] = labs;
  const roll = dice(3);
  const sids: string[] = [];
  let done = 0;
  const pick = () => sids[roll(2) === 0 ? roll(sids.length) : sids.length - 1]!;
  const gone = (error: Error) => assert.match(error.message, /^Cannot find/);
  const write = async () => {
    const kind = roll(10);
    const { calls } = labs[roll(labs.length)]!.store.records;
    if (kind < 5 || sids.length < 10) {
      lab.clock.now += roll(120_000);
      const record = lab.call({ from: `+1${roll(20)}`, to: `+2${roll(500)}`, startTime: null });
      await calls.insert({ record });
      sids.push(record.sid);
    } else if (kind < 9) {
      const startTime = lab.clock.now;
      await calls.update(lab.accountSid, pick(), (record) => ({
        record: { ...record, status: statuses[roll(5)]!, startTime },
      })).catch(gone);
    } else await calls.remove(lab.accountSid, pick()).catch(gone);
  };
  await Promise.all(Array.from({ length: 24 }, async () => {
    while (done++ < operations) await write();
  }));
}

const text = (key: Deno.KvKey) =>
  key.map((part) => part instanceof Uint8Array ? part.toHex() : String(part)).join("|");

/** Everything that should be beside these records. */
function expected(records: AnyRecord[]): { entries: Set<string>; counters: Map<string, number> } {
  const entries = new Set<string>();
  const counters = new Map<string, number>();
  const count = (key: Deno.KvKey) => counters.set(text(key), (counters.get(text(key)) ?? 0) + 1);
  for (const record of records) {
    for (const { field, depth, valueOf } of layoutOf(resources.calls).indexes) {
      const value = valueOf(record);
      if (value === null) continue;
      const place = { account: 1n, prefix: "CA", field };
      entries.add(text(keys.entry(place, value, ordOf(record.sid))));
      count(keys.total(place, value));
      for (const level of levels.slice(0, depth)) {
        const bucket = bucketAt(sidTime(record.sid), level);
        count(keys.counter(place, value, level.level, bucket));
      }
    }
  }
  return { entries, counters };
}

/** Asserts that all that is beside the calls of the first account is right; how many there are. */
export async function assertExact(kv: Deno.Kv): Promise<{ records: number; counters: number }> {
  const records: AnyRecord[] = [];
  const entries = new Set<string>();
  const counters = new Map<string, number>();
  for await (const { key, value } of kv.list<unknown>({ prefix: [1n, "CA"] })) {
    const isRecord = key.length === 3 && key[2] instanceof Uint8Array;
    if (isRecord) records.push(value as AnyRecord);
    if (key.at(-1) instanceof Uint8Array) entries.add(text(key));
    else if (key.length > 3 && (value as Deno.KvU64).value > 0n) {
      counters.set(text(key), Number((value as Deno.KvU64).value));
    }
  }
  const wanted = expected(records);
  assert.deepEqual(entries, wanted.entries);
  assert.deepEqual(counters, wanted.counters);
  return { records: records.length, counters: counters.size };
}
