import assert from "node:assert/strict";
import type { Condition } from "../../../core/base/filters.ts";
import type { Call } from "../../../core/model/resources/calls.ts";
import { deepen } from "../../../kv/counters/deepen.ts";
import type { Store } from "../../../kv/open_store.ts";
import { type Schema, schemaVersion } from "../../../kv/records/schema.ts";
import { type Committer, committer } from "../../../kv/store/commit.ts";
import { type DepthNote, keys } from "../../../kv/store/keys.ts";
import { killWhileMigrating } from "../../support/process/migrating_process.ts";
import { auditIndexes } from "../../support/service/index_audit.ts";
import { startKvConnect } from "../../support/service/kv_connect.ts";
import { dice, storeFile, type StoreLab, storeLab } from "../../support/service/store_lab.ts";
import { openDenoKv } from "../../../kv/engines/deno_kv.ts";
import type { KeyValueStore, KvKey, KvListOptions } from "../../../kv/store/key_value_store.ts";

const never = new AbortController().signal;
const secretKey = "lab";
const statuses = ["queued", "ringing", "completed", "busy"] as const;

/** Creates, changes and removes calls that all come within seconds, from many writers of some stores. */
async function crowd(lab: StoreLab, stores: Store[], operations: number): Promise<void> {
  const roll = dice(5);
  const sids: string[] = [];
  let done = 0;
  const gone = (error: Error) => assert.match(error.message, /^Cannot find/);
  const write = async () => {
    const { calls } = stores[roll(stores.length)]!.records;
    const kind = sids.length < 20 ? 0 : roll(10);
    if (kind < 7) {
      lab.clock.now += roll(12);
      const record = lab.call({ from: `+1${roll(2)}`, to: `+2${roll(500)}` });
      await calls.insert({ record });
      sids.push(record.sid);
      return;
    }
    const sid = sids[roll(sids.length)]!;
    const change = (record: Call) => ({
      record: { ...record, status: statuses[roll(4)]! } as Call,
    });
    if (kind === 9) await calls.remove(lab.accountSid, sid).catch(gone);
    else await calls.update(lab.accountSid, sid, change).catch(gone);
  };
  await Promise.all(Array.from({ length: 16 }, async () => {
    while (done++ < operations) await write();
  }));
}

const filters: Condition[][] = [
  [],
  [{ field: "from", op: "equals", value: "+11" }],
  [{ field: "status", op: "equals", value: "completed" }],
];

/** Asserts that each page by number shows what the pages by cursor show at that place. */
async function assertSamePages({ accountSid }: StoreLab, { records: { calls } }: Store) {
  for (const where of filters) {
    const sids: string[] = [];
    for (let after: string | undefined;; after = sids.at(-1)) {
      const page = await calls.list(accountSid, {
        where,
        skip: 0,
        limit: 200,
        ...after && { after },
      });
      sids.push(...page.items.map(({ sid }) => sid));
      if (page.items.length < 200) break;
    }
    for (let skip = 0; skip < sids.length; skip += 70) {
      const page = await calls.list(accountSid, { where, skip, limit: 30 });
      assert.deepEqual(page.items.map(({ sid }) => sid), sids.slice(skip, skip + 30));
      assert.equal(page.total, sids.length);
    }
  }
}

/** The notes of the calls of a store, by value. */
async function notesOf(kv: KeyValueStore): Promise<Record<string, DepthNote>> {
  const found: Record<string, DepthNote> = {};
  for await (const { key, value } of kv.list<DepthNote>(keys.allDepths(calls))) {
    found[`${String(key[3])} ${String(key[4])}`] = value;
  }
  return found;
}

const calls = { account: 1n, prefix: "CA" };

Deno.test("values with many entries get finer counters while calls come, change and go", async () => {
  await using file = await storeFile();
  {
    using lab = await storeLab(file.location, secretKey);
    await crowd(lab, [lab.store], 4_000);
    await lab.store.buildIndexes(never);
    await assertSamePages(lab, lab.store);
  }
  await auditIndexes(file.location, { secretKey });
  using kv = await openDenoKv(file.location);
  const notes = await notesOf(kv);
  assert.deepEqual(notes[" "], { depth: 4 });
  assert.deepEqual(notes["from +11"], { depth: 4 });
  assert.equal(notes["to +27"], undefined);
});

Deno.test("services on one store add finer counters at once, though answers of the server are lost", async () => {
  await using endpoint = startKvConnect();
  using lab = await storeLab(endpoint.url, secretKey);
  using other = await storeLab(endpoint.url, secretKey);
  const losing = setInterval(() => endpoint.lostAnswers = 1, 400);
  await crowd(lab, [lab.store, other.store], 1_500).finally(() => clearInterval(losing));

  await Promise.all([lab.store.buildIndexes(never), other.store.buildIndexes(never)]);

  await assertSamePages(lab, lab.store);
  await assertSamePages(lab, other.store);
  // Finer counters that pages requested.
  for (const { store } of [lab, other]) await store.buildIndexes(never);
  using kv = await openDenoKv(endpoint.url);
  const note = (await notesOf(kv))["from +11"]; // The depth depends on the lost answers.
  assert.ok(note !== undefined && note.depth >= 3, JSON.stringify(note));
  await auditIndexes(endpoint.url, { secretKey });
});

/** Makes a store one of layout 5: it has no counters beyond those of its indexes. */
async function asFifth(location: string): Promise<void> {
  using kv = await openDenoKv(location);
  for await (const { key } of kv.list(keys.allDepths(calls))) await kv.delete(key);
  for await (const { key } of kv.list({ prefix: [calls.account, calls.prefix] })) {
    const [field, level] = [key[2], key.at(-2)];
    if (typeof field !== "string" || typeof level !== "bigint" || key.length < 6) continue;
    const most = field === "" || field === "undated" ? 3n : 2n;
    if (level > most) await kv.delete(key);
  }
  const { value } = await kv.get<Schema>(keys.version);
  await kv.set(keys.version, { ...value, version: 5 });
}

/** A store of layout 5 in which many calls came within seconds. */
async function crowdedFifth(location: string): Promise<void> {
  {
    using lab = await storeLab(location, secretKey);
    await crowd(lab, [lab.store], 2_500);
  }
  await asFifth(location);
}

Deno.test("a store of layout 5 gets finer counters from services that are killed in the middle", async () => {
  await using file = await storeFile();
  await crowdedFifth(file.location);
  const former = { location: file.location, secretKey };
  let kills = 0;
  for (let commits = 1;; commits += 2) {
    const run = await killWhileMigrating(former, { commits, declares: "resources" });
    if (run.isDone) break;
    kills++;
  }

  {
    using lab = await storeLab(file.location, secretKey);
    await assertSamePages(lab, lab.store);
  }
  await auditIndexes(file.location, { secretKey });
  using kv = await openDenoKv(file.location);
  const notes = await notesOf(kv);
  assert.deepEqual([notes[" "], notes["from +11"]], [{ depth: 4 }, { depth: 4 }]);
  assert.ok(kills >= 3, `${kills} kills`);
});

Deno.test("counting that ends after any commit goes on from there, and adds each entry once", async () => {
  await using file = await storeFile();
  await crowdedFifth(file.location);
  {
    using kv = await openDenoKv(file.location);
    const made = committer(kv, { checks: 100 });
    const value = keys.value({ ...calls, field: "from" }, "+11");
    const [counter] = await Array.fromAsync(kv.list({ prefix: [...value, 2n] }));
    const stretch = { value, window: Number(counter!.key.at(-1)), depth: 2 };
    let runs = 0;
    for (let isOver = false; !isOver; runs++) {
      let left = 1 + runs % 2;
      const dying: Committer = {
        ...made,
        commit: (batch) => left-- > 0 ? made.commit(batch) : Promise.reject(new Error("killed")),
      };
      const counting = { kv, committer: dying, isShared: false, isComplete: () => true };
      const fail = () => Promise.reject(new Error("Nobody else writes"));
      await deepen(counting, stretch, fail).then(
        () => isOver = true,
        (error) => assert.match(error.message, /killed/),
      );
    }
    assert.ok(runs > 2, `${runs} runs`);
    assert.deepEqual(await notesOf(kv), { "from +11": { depth: 4 } });
    const schema = (await kv.get<Schema>(keys.version)).value!;
    await kv.set(keys.version, { ...schema, version: schemaVersion });
  }
  await auditIndexes(file.location, { secretKey });
});

Deno.test("a bucket that moves between two attempts is read again once it is still, or at the eighth", async () => {
  await using file = await storeFile();
  await crowdedFifth(file.location);
  using kv = await openDenoKv(file.location);
  const value = keys.value({ ...calls, field: "from" }, "+11");
  const [counter] = await Array.fromAsync(kv.list({ prefix: [...value, 2n] }));
  const stretch = { value, window: Number(counter!.key.at(-1)), depth: 2 };
  let first: KvKey = [];
  /** A write to the bucket that is counted. */
  const move = () => kv.atomic().sum(first, 0n).commit();
  let reads = 0;
  let isMoving = true;
  const busy = {
    get: (key: KvKey) => kv.get(key),
    list(range: { start: KvKey; end: KvKey }, options?: KvListOptions) {
      const isOfCounters = typeof range.start.at(-1) === "bigint";
      if (isOfCounters) first = range.start;
      const found = kv.list(range, options);
      if (isOfCounters || options?.limit === 1) return found;
      reads++;
      return (async function* () {
        if (isMoving) await move();
        yield* found;
      })();
    },
  } as unknown as KeyValueStore; // The functions of it that deepen() uses.
  const pauses: number[] = [];
  const readsAt: number[] = [];
  const pause = async (ms: number) => {
    pauses.push(ms);
    if (readsAt.push(reads) <= 8) await move();
    else isMoving = false;
  };
  const counting = { committer: committer(kv, { checks: 100 }), isShared: false };
  await deepen({ ...counting, kv: busy, isComplete: () => true }, stretch, pause);
  assert.deepEqual(readsAt, [1, 1, 1, 1, 1, 1, 1, 1, 2]);
  assert.deepEqual(pauses, [5, 10, 20, 40, 80, 160, 320, 640, 1_000]);
  assert.deepEqual(await notesOf(kv), { "from +11": { depth: 4 } });
});

Deno.test("windows that lost all records keep no counter and no note", async () => {
  await using file = await storeFile();
  {
    using lab = await storeLab(file.location, secretKey);
    await crowd(lab, [lab.store], 1_500);
    await lab.store.buildIndexes(never);
    while (await lab.store.records.calls.removeOld(lab.accountSid, lab.clock.now + 1) > 0);
    assert.equal((await lab.store.records.calls.list(lab.accountSid, all)).total, 0);
  }
  using kv = await openDenoKv(file.location);
  const left = await Array.fromAsync(
    kv.list({ prefix: [calls.account, calls.prefix] }),
    ({ key }) => key,
  );
  // Values that calls left, and texts that only removed calls had, keep a counter of 0 as before.
  assert.deepEqual(left.filter((key) => Number(key.at(-2)) > 3 || typeof key[2] === "bigint"), []);
  assert.deepEqual(left.filter((key) => key[2] === ""), []);
});

const all = { where: [], skip: 0, limit: 0 };
