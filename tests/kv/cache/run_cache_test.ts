import assert from "node:assert/strict";
import type { AnyRecord } from "../../../core/model/resource.ts";
import { emptyBatch } from "../../../kv/store/batch.ts";
import { ordOf, sidOf } from "../../../kv/store/keys.ts";
import type { Stored } from "../../../kv/cache/record_cache.ts";
import { type RunCache, runCache } from "../../../kv/cache/run_cache.ts";
import type { Bounds, Gap, Run } from "../../../kv/cache/runs.ts";
import { dice } from "../../support/service/store_lab.ts";

const place = { account: 7n, prefix: "CA" };

/** The Sid of a record of this ms. */
const sidAt = (ms: number) => "CA" + ms.toString(16).padStart(12, "0") + "5".repeat(20);

/** From one ms up, and before another. */
const between = (from: number, before: number): Bounds => ({
  from: sidAt(from),
  before: sidAt(before),
});
const all = between(0, 9_999);

const recordAt = (ms: number, state = 0) =>
  Object.freeze({ sid: sidAt(ms), state } as unknown as AnyRecord);

/** A list as a store has it, and a page of it. */
class Model {
  records = new Map<number, AnyRecord>();

  page({ from, before }: Bounds, skip: number, limit: number): AnyRecord[] {
    return [...this.records.values()].filter(({ sid }) => sid >= from && sid < before)
      .toSorted((a, b) => a.sid < b.sid ? 1 : -1)
      .slice(skip, skip + limit);
  }
}

/** An entry's value says the state of its record. */
const recall = ({ key, value }: Pick<Stored, "key" | "value">): AnyRecord =>
  Object.freeze(
    { sid: sidOf("CA", key), state: (value as Uint8Array)[0]! } as unknown as AnyRecord,
  );

/** A commit of records, all in one state; without one it deletes them. */
function writing(times: number[], state: number | null = 0, at = place) {
  const batch = emptyBatch();
  for (const ms of times) {
    const key = [at.account, at.prefix, ordOf(sidAt(ms))];
    const entry = [at.account, at.prefix, "status", "busy", ordOf(sidAt(ms))];
    if (state === null) batch.deletes.push(key, entry);
    else batch.sets.push({ key, value: new Uint8Array([state]) }, { key: entry, value: null });
  }
  return batch;
}

/** Reads the first records between bounds, and has the cache keep them. */
function learn(
  cache: RunCache,
  stored: Model,
  { bounds = all, limit = 1_000, at = place } = {},
) {
  const keep = cache.reading(at, recall);
  const run = runOf(stored, { ...bounds, limit });
  return () => keep(run);
}

function runOf(stored: Model, { limit, ...bounds }: Gap): Run {
  const records = stored.page(bounds, 0, limit);
  const from = records.length < limit ? bounds.from : records.at(-1)!.sid;
  return { ...bounds, from, records, bytes: records.length * 100 };
}

/** Cached records; null when some are missing. */
function known(cache: RunCache, { skip = 0, limit = 100, bounds = all, at = place } = {}) {
  const found = cache.find(at, bounds, { skip, limit });
  return Array.isArray(found) ? found : null;
}

function storedOf(...times: number[]): Model {
  const stored = new Model();
  for (const ms of times) stored.records.set(ms, recordAt(ms));
  return stored;
}

Deno.test("find() gives the records of concurrent readings, or the gap to read first", () => {
  const stored = storedOf(1, 2, 3, 4, 5, 6, 7, 8, 9);
  const cache = runCache(1 << 20);
  const find = (bounds: Bounds, skip: number, limit: number) =>
    cache.find(place, bounds, { skip, limit });
  assert.deepEqual(find(all, 3, 2), { ...all, limit: 5 });

  learn(cache, stored, { limit: 3 })(); // 9 8 7
  learn(cache, stored, { bounds: between(0, 8), limit: 4 })(); // 7 6 5 4
  learn(cache, stored, { bounds: between(1, 3) })(); // 2 1

  assert.deepEqual(find(all, 2, 4), stored.page(all, 2, 4));
  assert.deepEqual(find(between(0, 6), 1, 1), [recordAt(4)]);
  assert.deepEqual(find(between(5, 8), 0, 9), [7, 6, 5].map((n) => recordAt(n)));
  assert.deepEqual(find(all, 1, 6), { ...between(3, 4), limit: 1 });
  assert.deepEqual(find(between(0, 3), 0, 9), { ...between(0, 1), limit: 7 });
  for (const other of [{ ...place, account: 8n }, { ...place, prefix: "SM" }]) {
    assert.equal(known(cache, { at: other }), null);
  }
});

Deno.test("find() takes read records for its gaps, and only there", () => {
  const stored = storedOf(1, 2, 3, 4);
  const cache = runCache(1 << 20);
  const read = runOf(stored, { ...between(2, 9_999), limit: 9 });
  const window = { skip: 1, limit: 9 };

  assert.deepEqual(cache.find(place, all, window, [read]), { ...between(0, 2), limit: 7 });
  for (const ms of stored.records.keys()) stored.records.set(ms, recordAt(ms, 1));
  learn(cache, stored, { bounds: between(0, 4) })();
  const shown = [3, 2, 1].map((ms) => recordAt(ms, 1));
  assert.deepEqual(cache.find(place, all, window, [read]), shown);
  assert.deepEqual(
    cache.find(place, all, { skip: 0, limit: 9 }, [read]),
    [recordAt(4, 0), ...shown],
  );
});

Deno.test("nthOldest() counts from the older end over runs without a gap, and no further", () => {
  const stored = storedOf(1, 2, 3, 4, 5, 6, 7, 8);
  const cache = runCache(1 << 20);
  const nth = (from: number, before: number, count: number) =>
    cache.nthOldest(place, between(from, before), count);
  assert.deepEqual(nth(0, 9, 1), { ...between(0, 9), limit: 1 });

  learn(cache, stored, { bounds: between(0, 3) })(); // 2 1
  learn(cache, stored, { bounds: between(3, 5) })(); // 4 3
  learn(cache, stored, { bounds: between(6, 9) })(); // 8 7 6

  const oldest = [1, 2, 3, 4].map((ms) => sidAt(ms));
  assert.deepEqual([1, 2, 3, 4].map((count) => nth(0, 9, count)), oldest);
  assert.equal(nth(2, 9, 2), sidAt(3), "from within a run");
  assert.equal(nth(3, 9, 2), sidAt(4), "from where a run begins");
  assert.equal(nth(0, 4, 3), sidAt(3), "of a run that ends beyond");
  assert.deepEqual(nth(0, 9, 5), { ...between(5, 9), limit: 1 }, "behind a gap");
  assert.deepEqual(nth(5, 9, 2), { ...between(5, 9), limit: 2 }, "from a gap on");
  assert.deepEqual(nth(0, 3, 3), { ...between(3, 3), limit: 1 }, "more than there are");
});

Deno.test("a write drops its record alone, in its list alone", () => {
  const stored = storedOf(1, 2, 3, 4, 5);
  const cache = runCache(1 << 20);
  learn(cache, stored)();
  learn(cache, stored, { at: { ...place, account: 8n } })();

  cache.began(writing([3, 9]));
  cache.ended(null);

  const count = (bounds: Bounds) => known(cache, { bounds })?.length;
  assert.deepEqual([between(4, 9), between(0, 3)].map(count), [2, 2]);
  assert.deepEqual([all, between(3, 4), between(9, 10)].map(count), Array(3).fill(undefined));
  const gap = { from: sidAt(3), before: sidAt(3) + "00", limit: 5 };
  assert.deepEqual(cache.find(place, between(1, 4), { skip: 0, limit: 5 }), gap);
  assert.equal(known(cache, { at: { ...place, account: 8n } })?.length, 5);
});

Deno.test("a written record is cached again beside its cached neighbours, and nowhere else", () => {
  const stored = storedOf(1, 2, 3, 4, 5);
  const cache = runCache(1 << 20);
  learn(cache, stored, { bounds: between(2, 8) })();
  const made = { versionstamp: "1" };

  cache.began(writing([3, 7, 9], 1));
  assert.deepEqual(known(cache, { bounds: between(4, 7) })?.length, 2);
  cache.ended(made);
  cache.began(writing([4], null));
  cache.ended(made);
  const twice = writing([2], 2);
  twice.sets.push(...writing([2], 3).sets);
  cache.began(twice);
  cache.ended(made);

  const bounds = between(2, 8);
  const shown = [recordAt(7, 1), recordAt(5), recordAt(3, 1), recordAt(2, 3)];
  assert.deepEqual(known(cache, { bounds }), shown);
  assert.equal(known(cache, { bounds: between(9, 10) }), null);
});

Deno.test("records that a commit may have written while they were read are not cached", () => {
  for (const order of ["read began ended keep", "began read ended keep", "began read keep ended"]) {
    const stored = storedOf(1, 2, 3);
    const cache = runCache(1 << 20);
    let keep = () => {};
    for (const step of order.split(" ")) {
      if (step === "read") keep = learn(cache, stored);
      else if (step === "keep") keep();
      else if (step === "began") cache.began(writing([2]));
      else cache.ended(null);
    }
    assert.equal(known(cache, { limit: 1 }), null, order);

    learn(cache, stored)();
    assert.equal(known(cache)?.length, 3, order);
  }
});

Deno.test("records read before more writes than are remembered are not cached", () => {
  const cache = runCache(1 << 20);
  const bounds = between(0, 4);
  const keep = learn(cache, storedOf(1, 2, 3), { bounds });
  for (let ms = 3; ms < 1_300; ms++) {
    cache.began(writing([ms]));
    cache.ended(null);
  }
  keep();

  assert.equal(known(cache, { bounds, limit: 1 }), null);
});

Deno.test("runs match the store after any order of writes and reads", () => {
  const roll = dice(3);
  const stored = storedOf(...Array.from({ length: 150 }, () => roll(500)));
  const cache = runCache(40_000);
  let keeps: (() => void)[] = [];
  let [found, counted, state] = [0, 0, 0];

  /** Asserts that pages show the store as it is before a write under way and after it. */
  function check(): void {
    const from = roll(500);
    const bounds = roll(3) === 0 ? all : between(from, from + roll(300));
    const window = { skip: roll(20), limit: 1 + roll(20) };
    const first = cache.nthOldest(place, bounds, window.limit);
    const oldestFirst = stored.page(bounds, 0, Infinity).reverse();
    const isCounted = typeof first === "string";
    if (isCounted) assert.equal(first, oldestFirst[window.limit - 1]?.sid);
    if (isCounted) counted++;
    const page = cache.find(place, bounds, window);
    if (Array.isArray(page)) {
      found++;
      return assert.deepEqual(page, stored.page(bounds, window.skip, window.limit));
    }
    const next = [{ bounds: page, limit: page.limit }, { bounds, limit: 1 + roll(60) }][roll(3)];
    if (next !== undefined) keeps.push(learn(cache, stored, next));
  }

  function write(): void {
    const times = Array.from({ length: 1 + roll(2) }, () => roll(500));
    const written = roll(4) === 0 ? null : state = (state + 1) % 256;
    cache.began(writing(times, written));
    check();
    const isMade = roll(5) > 0;
    for (const ms of isMade ? times : []) {
      if (written === null) stored.records.delete(ms);
      else stored.records.set(ms, recordAt(ms, written));
    }
    check();
    cache.ended(isMade && roll(9) > 0 ? { versionstamp: "1" } : null);
  }

  for (let step = 0; step < 5_000; step++) {
    if (roll(3) === 0) write();
    else check();
    if (roll(2) === 0) continue;
    for (const keep of keeps) keep();
    keeps = [];
  }
  assert.ok(found > 1_000, `${found} pages were found in the cache`);
  assert.ok(counted > 500, `${counted} records were counted to from the older end`);
});

Deno.test("the least recently read lists are dropped first when records take too much", () => {
  const cache = runCache(10_000);
  const stored = storedOf(...Array.from({ length: 20 }, (_, ms) => ms)); // 2,000 bytes, and its run's.
  const lists = Array.from(
    { length: 30 },
    (_, account) => ({ ...place, account: BigInt(account) }),
  );
  const isKnown = (at: typeof place) => known(cache, { at, limit: 20 })?.length === 20;
  for (const at of lists) {
    learn(cache, stored, { at })();
    assert.ok(isKnown(lists[0]!) && isKnown(at));
  }

  const { length } = lists.filter(isKnown);
  assert.ok(length <= 4, `${length} are known`);

  learn(cache, storedOf(...Array.from({ length: 200 }, (_, ms) => ms)))();
  assert.equal(known(cache, { limit: 1 }), null, "More than there may be");
});

Deno.test("the oldest records of a list go first, in whichever order it is read", () => {
  const stored = storedOf(...Array.from({ length: 600 }, (_, ms) => ms));
  const pages = Array.from({ length: 30 }, (_, at) => between(600 - 20 * (at + 1), 600 - 20 * at));
  for (const order of [pages, pages.toReversed()]) {
    const cache = runCache(30_000); // A page takes 2,000 bytes, and those of its run.
    for (const bounds of order) learn(cache, stored, { bounds, limit: 20 })();
    const isKnown = pages.map((bounds) => known(cache, { bounds, limit: 20 }) !== null);
    const count = isKnown.indexOf(false);
    assert.ok(count >= 8 && count < 15, `${count} pages are known`);
    assert.ok(!isKnown.slice(count).includes(true), "They are the newest ones");
  }
});

Deno.test("cached records are frozen, and those that do not fit are not", () => {
  const cache = runCache(1_200);
  const keptOf = (from: number): AnyRecord => {
    const record = { sid: sidAt(from) } as AnyRecord;
    const run = { ...between(from, from + 10), records: [record], bytes: 300 };
    cache.reading(place, recall)(run);
    return record;
  };
  assert.ok(Object.isFrozen(keptOf(10)));
  assert.ok(!Object.isFrozen(keptOf(0)));
});
