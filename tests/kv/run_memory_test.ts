import assert from "node:assert/strict";
import type { AnyRecord } from "../../core/resource.ts";
import { emptyBatch } from "../../kv/batch.ts";
import type { Range } from "../../kv/entries.ts";
import { ordOf } from "../../kv/keys.ts";
import { runMemory } from "../../kv/run_memory.ts";
import { dice, storeLab } from "../support/store_lab.ts";

const place = { account: 7n, prefix: "CA" };
const all: Range = { span: { from: -Infinity, before: Infinity } };

/** The Sid of a record of this ms. */
const sidAt = (ms: number) => "CA" + ms.toString(16).padStart(12, "0") + "5".repeat(20);

const recordAt = (ms: number, state = 0) =>
  Object.freeze({ sid: sidAt(ms), state } as unknown as AnyRecord);

/** A list as a store has it, and a page of it. */
class Stored {
  records = new Map<number, AnyRecord>();

  page({ span, after = "X" }: Range, skip: number, limit: number): AnyRecord[] {
    return [...this.records].filter(([ms]) => ms >= span.from && ms < span.before)
      .map(([, record]) => record)
      .filter(({ sid }) => sid < after)
      .toSorted((a, b) => a.sid < b.sid ? 1 : -1)
      .slice(skip, skip + limit);
  }
}

function writing(times: number[], at = place, isDeleted = false) {
  const batch = emptyBatch();
  for (const ms of times) {
    const key = [at.account, at.prefix, ordOf(sidAt(ms))];
    const entry = [at.account, at.prefix, "status", "busy", ordOf(sidAt(ms))];
    if (isDeleted) batch.deletes.push(key, entry);
    else batch.sets.push({ key, value: null }, { key: entry, value: null });
  }
  return batch;
}

/** Reads the first records of a range, and has the memory keep them. */
function learn(
  memory: ReturnType<typeof runMemory>,
  stored: Stored,
  { range = all, limit = 1_000, at = place } = {},
) {
  const keep = memory.reading(at);
  const records = stored.page(range, 0, limit);
  return () => keep(range, { records, isAll: records.length < limit, bytes: records.length * 100 });
}

function storedOf(...times: number[]): Stored {
  const stored = new Stored();
  for (const ms of times) stored.records.set(ms, recordAt(ms));
  return stored;
}

Deno.test("find() gives what readings side by side have found, and nothing beyond", () => {
  const stored = storedOf(1, 2, 3, 4, 5, 6, 7, 8, 9);
  const memory = runMemory(1 << 20);
  const find = (range: Range, skip: number, limit: number) =>
    memory.find(place, range, { skip, limit });
  assert.equal(find(all, 0, 1), null);

  learn(memory, stored, { limit: 3 })(); // 9 8 7
  learn(memory, stored, { range: { ...all, after: sidAt(8) }, limit: 4 })(); // 7 6 5 4

  assert.deepEqual(find(all, 2, 4), stored.page(all, 2, 4));
  assert.deepEqual(find({ ...all, after: sidAt(6) }, 1, 1), [recordAt(4)]);
  assert.deepEqual(find({ span: { from: 5, before: 8 } }, 0, 9), [7, 6, 5].map((n) => recordAt(n)));
  assert.equal(find(all, 2, 5), null);
  assert.equal(find({ span: { from: 3, before: 8 } }, 0, 9), null);
  assert.equal(memory.find({ ...place, account: 8n }, all, { skip: 0, limit: 1 }), null);
  assert.equal(memory.find({ ...place, prefix: "SM" }, all, { skip: 0, limit: 1 }), null);
});

Deno.test("a write is forgotten alone, in its list alone", () => {
  const stored = storedOf(1, 2, 3, 4, 5);
  const memory = runMemory(1 << 20);
  learn(memory, stored)();
  learn(memory, stored, { at: { ...place, account: 8n } })();

  memory.began(writing([3, 9]));
  memory.ended();

  const find = (range: Range, limit: number, account = 7n) =>
    memory.find({ ...place, account }, range, { skip: 0, limit })?.length;
  assert.deepEqual(
    [
      find(all, 1),
      find({ span: { from: 4, before: 9 } }, 9),
      find({ span: { from: 0, before: 3 } }, 9),
    ],
    [undefined, 2, 2],
  );
  assert.equal(find({ span: { from: 3, before: 4 } }, 1), undefined);
  assert.equal(find(all, 9, 8n), 5);
});

Deno.test("what a commit may have written while it was read is not kept", () => {
  for (const order of ["read began ended keep", "began read ended keep", "began read keep ended"]) {
    const stored = storedOf(1, 2, 3);
    const memory = runMemory(1 << 20);
    let keep = () => {};
    for (const step of order.split(" ")) {
      if (step === "read") keep = learn(memory, stored);
      else if (step === "keep") keep();
      else if (step === "began") memory.began(writing([2]));
      else memory.ended();
    }
    assert.equal(memory.find(place, all, { skip: 0, limit: 1 }), null, order);

    learn(memory, stored)();
    assert.equal(memory.find(place, all, { skip: 0, limit: 9 })?.length, 3, order);
  }
});

Deno.test("what was read before more writes than are held against it is not kept", () => {
  const stored = storedOf(1, 2, 3);
  const memory = runMemory(1 << 20);
  const range = { span: { from: 0, before: 4 } };
  const keep = learn(memory, stored, { range });
  for (let ms = 3; ms < 1_300; ms++) {
    memory.began(writing([ms]));
    memory.ended();
  }
  keep();

  assert.equal(memory.find(place, range, { skip: 0, limit: 1 }), null);
});

Deno.test("runs are as the store is, whatever is written and read in whichever order", () => {
  const roll = dice(3);
  const stored = storedOf(...Array.from({ length: 150 }, () => roll(500)));
  const memory = runMemory(40_000);
  let keeps: (() => void)[] = [];
  let [found, state] = [0, 0];

  /** What is found is what the store has before a write under way and after it. */
  function check(): void {
    const from = roll(500);
    const span = roll(3) === 0 ? all.span : { from, before: from + roll(300) };
    const range = roll(3) === 0 ? { span, after: sidAt(roll(500)) } : { span };
    const window = { skip: roll(20), limit: 1 + roll(20) };
    const known = memory.find(place, range, window);
    if (known !== null) found++;
    const expected = stored.page(range, window.skip, window.limit);
    if (known !== null) assert.deepEqual(known, expected, JSON.stringify({ range, window }));
    else if (roll(2) === 0) keeps.push(learn(memory, stored, { range, limit: 1 + roll(60) }));
  }

  function write(): void {
    const times = Array.from({ length: 1 + roll(2) }, () => roll(500));
    const isDeleted = roll(4) === 0;
    memory.began(writing(times, place, isDeleted));
    check();
    for (const ms of roll(5) === 0 ? [] : times) {
      if (isDeleted) stored.records.delete(ms);
      else stored.records.set(ms, recordAt(ms, ++state));
    }
    check();
    memory.ended();
  }

  for (let step = 0; step < 5_000; step++) {
    if (roll(3) === 0) write();
    else check();
    if (roll(2) === 0) continue;
    for (const keep of keeps) keep();
    keeps = [];
  }
  assert.ok(found > 1_000, `${found} pages were found in memory`);
});

Deno.test("the lists that were asked for longest ago go when records take too much", () => {
  const memory = runMemory(10_000);
  const stored = storedOf(...Array.from({ length: 20 }, (_, ms) => ms)); // 2,000 bytes, and its run's.
  const lists = Array.from(
    { length: 30 },
    (_, account) => ({ ...place, account: BigInt(account) }),
  );
  const isKnown = (at: typeof place) => memory.find(at, all, { skip: 0, limit: 20 })?.length === 20;
  for (const at of lists) {
    learn(memory, stored, { at })();
    assert.ok(isKnown(lists[0]!) && isKnown(at));
  }

  const known = lists.filter(isKnown);
  assert.ok(known.length <= 4, `${known.length} are known`);

  learn(memory, storedOf(...Array.from({ length: 200 }, (_, ms) => ms)))();
  assert.equal(memory.find(place, all, { skip: 0, limit: 1 }), null, "More than there may be");
});

/** How often lists are asked of the store. */
function countedLists(): { count: number } & Disposable {
  const { prototype } = Deno.Kv;
  const { list } = prototype;
  const counted = { count: 0, [Symbol.dispose]: () => void (prototype.list = list) };
  prototype.list = function (...args) {
    counted.count++;
    return list.apply(this, args as never) as never;
  };
  return counted;
}

Deno.test("pages of a list that grows are found without listing it, and are what it has", async () => {
  using lab = await storeLab();
  const { calls } = lab.store.records;
  const roll = dice(8);
  const model: ReturnType<typeof lab.call>[] = [];
  const create = async () => {
    lab.clock.now += roll(40_000);
    const record = lab.call({ startTime: lab.clock.now, duration: 0 });
    model.unshift(record);
    await calls.insert({ record });
  };
  const ask = async (skip: number, limit: number) => {
    const slice = await calls.list(lab.accountSid, { where: [], skip, limit });
    assert.deepEqual(slice, { items: model.slice(skip, skip + limit), total: model.length });
  };
  for (let n = 0; n < 300; n++) await create();
  for (let round = 0; round < 3; round++) {
    for (let skip = 0; skip < 300; skip += 20) await ask(skip, 21);
  }

  {
    using lists = countedLists();
    for (let n = 0; n < 10; n++) {
      await create();
      lists.count = 0;
      for (let skip = 20; skip < 280; skip += 20) await ask(skip, 21);
      assert.equal(lists.count, 0, "All but the newest record is known");
      await ask(0, 21);
    }
  }

  for (let n = 0; n < 100; n++) {
    const at = roll(model.length);
    const { sid } = model[at]!;
    const kind = roll(3);
    if (kind === 0) await create();
    else if (kind === 1) {
      const move = (record: (typeof model)[0]) => ({ record: { ...record, duration: n } });
      model[at] = await calls.update(lab.accountSid, sid, move);
    } else {
      model.splice(at, 1);
      await calls.remove(lab.accountSid, sid);
    }
    for (let asked = 0; asked < 3; asked++) await ask(20 * roll(16), 21);
  }
});
