import assert from "node:assert/strict";
import { handlers } from "../../../core/jobs/mod.ts";
import { createLoopShares } from "../../../core/model/rest/loop_shares.ts";
import type { Ports } from "../../../core/model/ports/ports.ts";
import { resources } from "../../../core/model/resources/mod.ts";
import { bucketAt, levels } from "../../../kv/store/counters.ts";
import { keys, ordAt, ordOf } from "../../../kv/store/keys.ts";
import { layoutOf } from "../../../kv/records/layout.ts";
import type { AnyRecord } from "../../../core/model/resource.ts";
import type { Call } from "../../../core/model/resources/calls.ts";
import { sidTime } from "../../../core/base/sid.ts";
import { type RecordCodec, recordCodec } from "../../../kv/records/record_codec.ts";
import { recordCache } from "../../../kv/cache/record_cache.ts";
import { sealer } from "../../../kv/store/seal.ts";
import type { PackedTexts } from "../../../kv/records/text_pack.ts";
import { dice, storeFile, type StoreLab, storeLab } from "../../support/service/store_lab.ts";
import { openDenoKv } from "../../../kv/engines/deno_kv.ts";
import type { KeyValueStore, KvKey, KvU64 } from "../../../kv/store/key_value_store.ts";

const statuses = ["queued", "ringing", "in-progress", "completed", "busy"] as const;

/** Creates, changes and removes calls from many writers at once; some meet at one record. */
async function churn(lab: StoreLab, operations: number): Promise<void> {
  const { calls } = lab.store.records;
  const roll = dice(3);
  const sids: string[] = [];
  let done = 0;
  const pick = () => sids[roll(2) === 0 ? roll(sids.length) : sids.length - 1]!;
  const gone = (error: Error) => assert.match(error.message, /^Cannot find/);
  const write = async () => {
    const kind = roll(10);
    if (kind < 5 || sids.length < 10) {
      lab.clock.now += roll(120_000);
      const record = lab.call({ from: `+1${roll(20)}`, to: `+2${roll(500)}`, startTime: null });
      await calls.insert({ record });
      sids.push(record.sid);
    } else if (kind < 9) {
      const [startTime, endTime] = [roll(2), roll(2)].map((is) => is ? lab.clock.now : null);
      await calls.update(lab.accountSid, pick(), (record) => ({
        record: { ...record, status: statuses[roll(5)]!, startTime, endTime } as Call,
      })).catch(gone);
    } else await calls.remove(lab.accountSid, pick()).catch(gone);
  };
  await Promise.all(Array.from({ length: 24 }, async () => {
    while (done++ < operations) await write();
  }));
}

const text = (key: KvKey) =>
  key.map((part) => part instanceof Uint8Array ? part.toHex() : String(part)).join("|");

/** Everything that should be beside these records. */
function expected(records: AnyRecord[]): { entries: Set<string>; counters: Map<string, number> } {
  const entries = new Set<string>();
  const counters = new Map<string, number>();
  const count = (key: KvKey) => counters.set(text(key), (counters.get(text(key)) ?? 0) + 1);
  const { indexes } = layoutOf(resources.calls);
  for (const record of records) {
    const { startTime, endTime } = record;
    const dates = [startTime === null ? ["startTime"] : [], endTime === null ? ["endTime"] : []];
    const lacking = dates.flat().join(" ");
    for (const { field, depth, valueOf } of indexes) {
      const value = valueOf(record);
      if (value === null) continue;
      const place = { account: 1n, prefix: "CA", field, value };
      entries.add(text(keys.entry(place, value, ordOf(record.sid))));
      const isCounted = lacking === "startTime" && !["", "undated"].includes(field);
      for (const level of levels.slice(0, depth)) {
        const bucket = bucketAt(sidTime(record.sid), level);
        count(keys.counter(place, level.level, bucket));
        if (isCounted) {
          count(keys.counter({ ...place, lacking }, level.level, bucket));
        }
      }
    }
  }
  return { entries, counters };
}

/** Codec for the calls of a closed store. */
async function codecOf(kv: KeyValueStore): Promise<RecordCodec> {
  const { value } = await kv.get<{ fields: Record<string, string[]> }>(keys.version);
  const [fields, cache] = [value!.fields.calls!, recordCache(1)];
  return recordCodec({ fields, secret: [], seal: sealer("lab"), cache });
}

Deno.test("every counter and index entry is right after many writers created, changed and removed", async () => {
  await using file = await storeFile();
  const { location } = file;
  const lab = await storeLab(location);
  await churn(lab, 3_000);
  lab[Symbol.dispose]();

  using kv = await openDenoKv(location);
  const records: AnyRecord[] = [];
  const entries = new Set<string>();
  const counters = new Map<string, number>();
  const codec = await codecOf(kv);
  for await (const { key, value, versionstamp } of kv.list<unknown>({ prefix: [1n, "CA"] })) {
    const isRecord = key.length === 3 && key[2] instanceof Uint8Array;
    if (isRecord) records.push(codec.decode({ key, value, versionstamp }));
    if (key.at(-1) instanceof Uint8Array) entries.add(text(key));
    else if (key.length > 3 && (value as KvU64).value > 0n) {
      counters.set(text(key), Number((value as KvU64).value));
    }
  }
  const wanted = expected(records);
  assert.ok(records.length > 500 && counters.size > 1_000);
  assert.deepEqual(entries, wanted.entries);
  assert.deepEqual(counters, wanted.counters);
});

Deno.test("a record in a thousand has the texts before it packed, once they are old", async () => {
  await using file = await storeFile();
  const { location } = file;
  const lab = await storeLab(location);
  const { records } = lab.store;
  const now = () => lab.clock.now;
  const loop = createLoopShares();
  const accounts = { recent: () => undefined, get: () => Promise.resolve(null) };
  const ports = { records, accounts, now, steadyNow: now, loop, log: () => {} } as unknown as Ports;
  const made = Array.from({ length: 200 }, () => lab.notification({ messageText: filler }));
  const asking = { ...lab.notification({}), sid: made.at(-1)!.sid.slice(0, -3) + "c00" };
  for (const record of [...made, asking]) await records.notifications.insert({ record });
  const worker = await lab.store.worker(handlers, ports);

  await worker.drain();
  const place = { account: 1n, prefix: "NO", field: "messageText" };
  lab.clock.now += 11 * 60_000;
  await worker.drain();
  lab[Symbol.dispose]();

  using kv = await openDenoKv(location);
  const [first] = await Array.fromAsync(
    kv.list<PackedTexts>({ start: keys.texts(place, ordAt(0)), end: keys.stale(place) }),
  );
  assert.equal(first!.value.text.slice(0, filler.length), filler);
  assert.equal(first!.key.at(-1) instanceof Uint8Array, true);
});

Deno.test("texts that changed after they were packed are packed anew, and found as they are", async () => {
  await using file = await storeFile();
  const { location } = file;
  const lab = await storeLab(location);
  const { notifications } = lab.store.records;
  const now = () => lab.clock.now;
  const records = lab.store.records;
  const loop = createLoopShares();
  const accounts = { recent: () => undefined, get: () => Promise.resolve(null) };
  const ports = { records, accounts, now, steadyNow: now, loop, log: () => {} } as unknown as Ports;
  const worker = await lab.store.worker(handlers, ports);
  const pack = async () => {
    const one = lab.notification({ messageText: "asks" });
    await notifications.insert({ record: { ...one, sid: one.sid.slice(0, -3) + "c00" } });
    await worker.drain();
    lab.clock.now += 11 * 60_000;
    await worker.drain();
  };
  // A pack is written when it is full: more than a hundred of these fill one.
  const made = Array.from(
    { length: 300 },
    (_, n) => lab.notification({ messageText: `${filler}secret ${n}` }),
  );
  for (const record of made) await notifications.insert({ record });
  await pack();
  const accountSid = made[0]!.accountSid;
  const change = (n: number, messageText: string) =>
    notifications.update(accountSid, made[n]!.sid, (record) => ({
      record: { ...record, messageText },
    }));
  const found = async (part: string) => {
    const where = [{ field: "messageText", op: "contains" as const, value: part }];
    const { items } = await notifications.list(accountSid, { where, skip: 0, limit: 1_000 });
    return items.map(({ messageText }) => messageText).toSorted();
  };
  for (let n = 0; n < 100; n++) {
    await change(n, n < 90 ? "" : n < 95 ? `fresh ${n}` : `${filler}${filler}longer ${n}`);
  }
  await notifications.remove(accountSid, made[101]!.sid, (record) => ({ record }));
  const expectedNow = async () => {
    assert.equal((await found("secret")).length, 199);
    assert.equal((await found("fresh ")).length, 5);
    assert.equal((await found("longer")).length, 5);
  };
  await expectedNow();

  await pack();
  await expectedNow();
  await change(90, "newest");
  assert.deepEqual(await found("newest"), ["newest"]);
  assert.equal((await found("fresh 90")).length, 0);
  lab[Symbol.dispose]();

  using kv = await openDenoKv(location);
  const place = { account: 1n, prefix: "NO", field: "messageText" };
  const marks = await Array.fromAsync(kv.list({ prefix: keys.stale(place) }));
  // Those of a pack with few of them, longer texts, and what changed since.
  assert.ok(marks.length < 40, `${marks.length} marks`);
});

const filler = "nothing new ".repeat(40);
