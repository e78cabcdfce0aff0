import assert from "node:assert/strict";
import { ordOf, sidOf } from "../../../kv/store/keys.ts";
import type { Source } from "../../../kv/lists/plan.ts";
import { readCached } from "../../../kv/lists/read_cached.ts";
import { listStates } from "../../../kv/cache/list_states.ts";
import { runCache } from "../../../kv/cache/run_cache.ts";
import { storeLab } from "../../support/service/store_lab.ts";
import type { KvKey } from "../../../kv/store/key_value_store.ts";

Deno.test("a page far inside one stretch of counters is the same when it is asked for again", async () => {
  using lab = await storeLab();
  const { calls } = lab.store.records;
  const model = Array.from({ length: 4_200 }, () => lab.call({}));
  await Promise.all(model.map((record) => calls.insert({ record })));
  const newestFirst = model.map(({ sid }) => sid).toSorted().reverse();

  for (const skip of [1_990, 2_010, 2_090, 2_110, 4_150]) {
    for (let asked = 0; asked < 3; asked++) {
      const { items, total } = await calls.list(lab.accountSid, { where: [], skip, limit: 20 });
      assert.deepEqual(items.map(({ sid }) => sid), newestFirst.slice(skip, skip + 20));
      assert.equal(total, model.length);
    }
  }
});

Deno.test("a page is found though a commit is under way whenever records are read for it", async () => {
  const place = { account: 7n, prefix: "CA" };
  const runs = runCache(1 << 20);
  const newest: { key: KvKey; value: Uint8Array; versionstamp: string }[] = [];
  /** Adds a record, whose commit lasts until the next read. */
  const add = () => {
    const sid = (newest.length + 1).toString(16).padStart(12, "0").padEnd(32, "0");
    const entry = { key: [7n, "CA", ordOf(`CA${sid}`)], value: new Uint8Array(1) };
    runs.ended({ versionstamp: "1" });
    newest.unshift({ ...entry, versionstamp: "1" });
    runs.began({ sets: [entry], deletes: [] });
  };
  let [isBusy, lists] = [false, 0];
  const kv = {
    list({ start, end }: { start: KvKey; end: KvKey }, { limit }: { limit: number }) {
      if (++lists > 100) throw new Error("The store is asked again and again");
      const [from, before] = [start, end].map((key) => (key[2] as Uint8Array).toHex());
      const between = newest.filter(({ key: [, , ord] }) => {
        const hex = (ord as Uint8Array).toHex();
        return hex >= from! && hex < before!;
      });
      if (isBusy) add();
      return between.slice(0, limit);
    },
  };
  const codec = {
    decode: ({ key }: { key: KvKey }) => ({ sid: `CA${(key[2] as Uint8Array).toHex()}` }),
  };
  const source = { kv, place, runs, codec } as unknown as Source;
  const range = { span: { from: -Infinity, before: Infinity } };
  const page = () => readCached(source, runs, { range, skip: 1, limit: 2 });
  for (let n = 0; n < 9; n++) add();
  runs.ended({ versionstamp: "1" });
  await page();
  isBusy = true;
  add();

  const shown = (await page()).map(({ sid }) => parseInt(sid.slice(2, 14), 16));

  assert.equal(shown.length, 2);
  assert.equal(shown[0], shown[1]! + 1);
});

Deno.test("pages of a list that a commit writes to wait for its end, and read nothing", async () => {
  const place = { account: 7n, prefix: "CA" };
  const runs = runCache(1 << 20);
  const states = listStates();
  const stored = (n: number) => ({ key: [7n, "CA", ordOf(sidAt(n))], value: new Uint8Array(1) });
  const entries = [3, 2, 1].map(stored);
  let lists = 0;
  const kv = { list: () => (lists++, entries) };
  const codec = { decode: ({ key }: { key: KvKey }) => ({ sid: sidOf("CA", key) }) };
  const source = { kv, place, runs, states, codec } as unknown as Source;
  const range = { span: { from: -Infinity, before: Infinity } };
  const page = () => readCached(source, runs, { range, skip: 0, limit: 3 });
  await page();
  assert.equal(lists, 1);
  const written = { sets: [stored(4)], deletes: [] };

  await states.began(written);
  runs.began(written);
  const pages = Promise.all([page(), page(), page()]);
  states.ended();
  runs.ended({ versionstamp: "2" });

  for (const shown of await pages) {
    assert.deepEqual(shown.map(({ sid }) => sid), [4, 3, 2].map(sidAt));
  }
  assert.equal(lists, 1);
});

Deno.test("a page far inside one stretch of counters is read from the end that is nearer", async () => {
  const hour = 3_600_000;
  const sids = Array.from({ length: 300 }, (_, at) => sidAt(at < 100 ? at : hour + at));
  let entries = 0;
  const kv = {
    list(
      { start, end }: { start: KvKey; end: KvKey },
      { limit, reverse }: { limit: number; reverse: boolean },
    ) {
      const [from, before] = [start, end].map((key) => sidOf("CA", key));
      const between = sids.filter((sid) => sid >= from! && sid < before!);
      const found = (reverse ? between.reverse() : between).slice(0, limit);
      entries += found.length;
      return found.map((sid) => ({ key: [7n, "CA", ordOf(sid)], value: new Uint8Array(1) }));
    },
  };
  const codec = { decode: ({ key }: { key: KvKey }) => ({ sid: sidOf("CA", key) }) };
  const place = { account: 7n, prefix: "CA" };
  const range = { span: { from: -Infinity, before: 2 * hour } };
  const newestFirst = sids.toReversed();
  const limit = 20;
  let runs = runCache(1 << 20);
  /** Number of entries read for a page of the 200 that one stretch has. */
  const read = async (skip: number) => {
    const source = { kv, place, runs, codec } as unknown as Source;
    const before = entries;
    const older = { from: hour, count: 200 - skip };
    const shown = await readCached(source, runs, { range, skip, limit, older });
    const expected = newestFirst.slice(skip, skip + limit);
    assert.deepEqual(shown.map(({ sid }) => sid), expected, `from ${skip}`);
    return entries - before;
  };
  const cold = (skip: number) => {
    runs = runCache(1 << 20);
    return read(skip);
  };

  assert.equal(await cold(40), 60);
  assert.equal(await cold(120), 80);
  assert.equal(await read(120), 0, "asked again");
  assert.equal(await read(140), 0, "between it and the older end");
  assert.equal(await read(175), 0, "and up to there");
  assert.equal(await read(190), 10, "the rest of it is older");
  assert.equal(await read(190), 0);
  assert.equal(await read(100), 20, "the page before it");
  assert.equal(await read(60), 40, "one before, between which and it a page is missing");
  assert.equal(await cold(190), 20, "beyond the older end");
  assert.equal(await read(190), 0);
  assert.equal(await cold(199), 20);
  assert.equal(await cold(0), 20);
  assert.equal(await read(20), 20, "the page after it");
});

const sidAt = (ms: number) => "CA" + ms.toString(16).padStart(12, "0").padEnd(32, "5");
