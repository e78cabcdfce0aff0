import assert from "node:assert/strict";
import { limits } from "../../../core/base/limits.ts";
import type { Call } from "../../../core/model/resources/calls.ts";
import { openStore, type Store } from "../../../kv/open_store.ts";
import type { Schema } from "../../../kv/records/schema.ts";
import { keys } from "../../../kv/store/keys.ts";
import { killWhileMigrating, withDirection } from "../../support/process/migrating_process.ts";
import { auditIndexes } from "../../support/service/index_audit.ts";
import { dice, storeFile, type StoreLab, storeLab } from "../../support/service/store_lab.ts";
import { openDenoKv } from "../../../kv/engines/deno_kv.ts";

const never = new AbortController().signal;
const secretKey = "lab";
const audit = { secretKey, declarations: withDirection };

const directions = ["inbound", "outbound-api", "outbound-dial"] as const;

/** Makes calls of all directions, and some that are over. */
async function makeCalls(lab: StoreLab, count: number): Promise<Call[]> {
  const roll = dice(7);
  const calls: Call[] = [];
  for (let n = 0; n < count; n++) {
    lab.clock.now += roll(60_000);
    const isOver = roll(3) > 0;
    calls.push(lab.call({
      direction: directions[roll(3)]!,
      status: isOver ? "completed" : "in-progress",
      startTime: roll(2) === 0 ? lab.clock.now : null,
      endTime: isOver ? lab.clock.now + 5_000 : null,
      from: `+1555000${roll(4)}`,
      to: "client:a",
    }));
  }
  await Promise.all(calls.map((record) => lab.store.records.calls.insert({ record })));
  return calls;
}

/** A store with calls, in a file that no process has open. */
async function storeOfCalls(count: number) {
  const file = await storeFile();
  using lab = await storeLab(file.location, secretKey);
  const calls = await makeCalls(lab, count);
  return { file, location: file.location, calls, accountSid: lab.accountSid, now: lab.clock.now };
}

const open = (location: string, now: number, declarations = withDirection) =>
  openStore({ location, secretKey, now: () => now, declarations });

const all = { skip: 0, limit: 100_000 };

const inbound = async ({ records }: Store, accountSid: string) => {
  const where = [{ field: "direction", op: "equals" as const, value: "inbound" }];
  const { items, total } = await records.calls.list(accountSid, { where, ...all });
  return { sids: items.map(({ sid }) => sid), total };
};

const inboundOf = (calls: Call[]) => {
  const found = calls.filter(({ direction }) => direction === "inbound").map(({ sid }) => sid);
  return { sids: found.sort().reverse(), total: found.length };
};

const schemaOf = async (location: string): Promise<Schema> => {
  using kv = await openDenoKv(location);
  return (await kv.get<Schema>(keys.version)).value!;
};

Deno.test("a filter that is declared later answers before, while and after its index is built", async () => {
  const { file, location, calls, accountSid, now } = await storeOfCalls(400);
  await using _ = file;
  const before = await schemaOf(location);
  const store = await open(location, now);

  assert.deepEqual(await inbound(store, accountSid), inboundOf(calls));
  const building = store.buildIndexes(never);
  assert.deepEqual(await inbound(store, accountSid), inboundOf(calls));
  await building;
  assert.deepEqual(await inbound(store, accountSid), inboundOf(calls));

  store.close();
  assert.equal(await auditIndexes(location, audit), 400);
  const after = await schemaOf(location);
  assert.notEqual(after.hash, before.hash);
  assert.ok(after.layouts.calls!.filters.includes("direction"));
});

Deno.test("an index has each record once that is written, changed or removed while it is built", async () => {
  const { file, location, calls, accountSid, now } = await storeOfCalls(600);
  await using _ = file;
  const lab = await storeLab(location, secretKey);
  lab[Symbol.dispose]();
  const store = await open(location, now);
  const { records } = store;
  const roll = dice(11);
  const present = new Map(calls.map((call) => [call.sid, call]));
  const building = store.buildIndexes(never).then(() => true);
  let isBuilt = false;
  void building.then(() => isBuilt = true);
  for (let n = 0; n < 60 || !isBuilt; n++) {
    await Promise.all(Array.from({ length: 8 }, async () => {
      const { sid } = calls[roll(calls.length)]!;
      if (!present.has(sid)) return;
      if (roll(5) === 0) {
        present.delete(sid);
        await records.calls.remove(accountSid, sid);
        return;
      }
      const direction = directions[roll(3)]!;
      const changed = await records.calls.update(accountSid, sid, (record) => ({
        record: { ...record, direction },
      })).catch(() => null); // It was removed at the same time.
      if (changed !== null && present.has(sid)) present.set(sid, changed);
    }));
    const { sid } = calls[n % calls.length]!;
    const record = { ...calls[0]!, sid: `${sid.slice(0, -4)}${(n + 4096).toString(16)}` };
    if (!present.has(record.sid)) {
      present.set(record.sid, await records.calls.insert({ record }));
    }
  }
  await building;
  const shown = await inbound(store, accountSid);
  const listed = await records.calls.list(accountSid, { where: [], ...all });
  store.close();

  assert.equal(await auditIndexes(location, audit), listed.total);
  assert.deepEqual(shown, inboundOf(listed.items));
});

Deno.test("a list that is too long to be read without its index is refused until it is built", async () => {
  const { file, location, calls, accountSid, now } = await storeOfCalls(60);
  await using _ = file;
  const { scannedWithoutIndex } = limits;
  Object.assign(limits, { scannedWithoutIndex: 50 });
  try {
    const store = await open(location, now);
    await assert.rejects(inbound(store, accountSid), ({ message }: Error) => {
      assert.match(message, /the index of Direction is being built/);
      return true;
    });
    const others = await store.records.calls.list(accountSid, { where: [], skip: 0, limit: 1 });
    await store.buildIndexes(never);

    assert.equal(others.total, 60);
    assert.deepEqual(await inbound(store, accountSid), inboundOf(calls));
    store.close();
  } finally {
    Object.assign(limits, { scannedWithoutIndex });
  }
});

Deno.test("an index is built by services that are killed in the middle, each going on from there", async () => {
  const { file, location, calls, accountSid, now } = await storeOfCalls(800);
  await using _ = file;
  let [kills, made] = [0, 0];
  for (let commits = 1;; commits++) {
    const at = { location, secretKey };
    const run = await killWhileMigrating(at, { commits, declares: "withDirection" });
    made += run.commits;
    if (run.isDone) break;
    kills++;
    assert.deepEqual((await schemaOf(location)).building.calls?.fields, ["direction"]);
  }

  const store = await open(location, now);
  assert.deepEqual(await inbound(store, accountSid), inboundOf(calls));
  store.close();
  assert.equal(await auditIndexes(location, audit), 800);
  assert.ok(kills >= 2 && made <= 800 / 50, `${kills} kills, ${made} commits`);
});

Deno.test("the entries of a filter that is declared no more are removed, and built anew when it is again", async () => {
  const { file, location, calls, accountSid, now } = await storeOfCalls(50);
  await using _ = file;
  const first = await open(location, now);
  await first.buildIndexes(never);
  first.close();
  const without = await openStore({ location, secretKey, now: () => now });
  await without.records.calls.update(accountSid, calls[0]!.sid, (record) => ({
    record: { ...record, direction: record.direction === "inbound" ? "outbound-api" : "inbound" },
  }));
  await without.buildIndexes(never);
  without.close();

  assert.equal(await auditIndexes(location, { secretKey }), 50);
  const again = await open(location, now);
  await again.buildIndexes(never);
  again.close();
  assert.equal(await auditIndexes(location, audit), 50);
});

Deno.test("openStore() refuses a store of a later layout, and names the remedy", async () => {
  await using file = await storeFile();
  using kv = await openDenoKv(file.location);
  await kv.set(keys.version, { version: 7 });
  kv.close();

  await assert.rejects(
    openStore({ location: file.location, secretKey, now: () => 1 }),
    /^Error: Cannot open the store: its layout is version 7, .* up to 6\. Start the version/,
  );
});
