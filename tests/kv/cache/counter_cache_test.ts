import assert from "node:assert/strict";
import type { Condition } from "../../../core/base/filters.ts";
import type { Call } from "../../../core/model/resources/calls.ts";
import { emptyBatch } from "../../../kv/store/batch.ts";
import { type Block, blockName, counterCache } from "../../../kv/cache/counter_cache.ts";
import { levels, movedBy, spanOf, stageCount } from "../../../kv/store/counters.ts";
import { keys } from "../../../kv/store/keys.ts";
import { dice, storeFile, type StoreLab, storeLab } from "../../support/service/store_lab.ts";

const counted = { account: 1n, prefix: "CA", field: "from", value: "a" };
const [level] = levels;
const counter = (bucket: number) => keys.counter(counted, level!.level, bucket);
const name = blockName(keys.counters(counted), level!, 0);

/** A commit that moves these counters by one each. */
function moving(...buckets: number[]) {
  const batch = emptyBatch();
  for (const bucket of buckets) {
    stageCount(batch, counted, { depth: 2, ms: spanOf(bucket, level!).from, by: 1 });
  }
  return { moved: movedBy(batch.counts, () => 0), deletes: [] };
}

/** A cache, and a read of the block that ends when the test gives its result. */
function labOf() {
  const cache = counterCache(1_000);
  const { promise, resolve } = Promise.withResolvers<Block>();
  const found = cache.block(name, () => promise);
  const known = () => cache.block(name, () => Promise.reject(new Error("It is not known")));
  return { cache, found, known, find: resolve };
}

Deno.test("counterMemory() adds a commit to a snapshot that was taken before it", async () => {
  const { cache, found, known, find } = labOf();

  cache.made(moving(5, 6), "02");
  find({ buckets: [5], counts: [1], asOf: "01" });

  assert.deepEqual(await found, { buckets: [5, 6], counts: [2, 1], asOf: "02" });
  cache.made(moving(4, 6), "03");
  assert.deepEqual(await known(), { buckets: [4, 5, 6], counts: [1, 2, 2], asOf: "03" });
});

Deno.test("counterMemory() adds a commit once whose counters the snapshot has", async () => {
  const { cache, found, known, find } = labOf();

  cache.made(moving(5), "02");
  find({ buckets: [5], counts: [1], asOf: "02" });
  assert.deepEqual((await found).counts, [1]);

  const late = labOf();
  late.find({ buckets: [5], counts: [1], asOf: "02" });
  await late.found;
  late.cache.made(moving(5), "02"); // Its answer came after that of the read.
  assert.deepEqual((await late.known()).counts, [1]);
  assert.deepEqual((await known()).counts, [1]);
});

Deno.test("counterMemory() forgets the counters of a commit without an answer", async () => {
  const { cache, found, known, find } = labOf();
  find({ buckets: [5], counts: [1], asOf: "01" });
  await found;

  cache.doubt(moving(5));

  await assert.rejects(known(), /It is not known/);
});

Deno.test("counterMemory() caches no block of which a counter was deleted meanwhile", async () => {
  const { cache, found, known, find } = labOf();
  cache.made({ moved: [], deletes: [counter(5)] }, "02");
  find({ buckets: [5], counts: [0], asOf: "01" });
  await found;

  await assert.rejects(known(), /It is not known/);
});

Deno.test("counterMemory() caches a bounded number of counters", async () => {
  const cache = counterCache(1_000);
  const reads: string[] = [];
  const block = (name: string) =>
    cache.block(name, () => {
      reads.push(name);
      return Promise.resolve({ buckets: [1], counts: [1], asOf: "01" });
    });

  for (let at = 0; at < 100; at++) await block(`block ${at}`);
  reads.length = 0;
  await block("block 99");
  await block("block 0");

  assert.deepEqual(reads, ["block 0"]);
});

const equals = (field: string, value: string): Condition => ({ field, op: "equals", value });
const filters: Condition[][] = [
  [],
  [equals("from", "+11")],
  [equals("status", "busy")],
  [{ field: "startTime", op: "between", from: -Infinity, before: Infinity }],
];

/** Pages of every list at many depths, as Sids and totals. */
async function pagesOf({ store, accountSid }: StoreLab) {
  const pages = [];
  for (const where of filters) {
    for (let skip = 0; skip < 600; skip += 40) {
      const page = await store.records.calls.list(accountSid, { where, skip, limit: 40 });
      pages.push({ total: page.total, sids: page.items.map(({ sid }) => sid) });
    }
  }
  return pages;
}

Deno.test("lists that are read while calls come, change and go are those of the store opened anew", async () => {
  await using file = await storeFile();
  const roll = dice(11);
  const remembered = await (async () => {
    using lab = await storeLab(file.location);
    const { calls } = lab.store.records;
    const sids: string[] = [];
    const write = async () => {
      const kind = sids.length < 20 ? 0 : roll(10);
      if (kind < 6) {
        lab.clock.now += roll(400_000);
        const startTime = roll(2) ? lab.clock.now : null;
        const record = lab.call({ from: `+1${roll(3)}`, to: `+2${roll(90)}`, startTime });
        await calls.insert({ record });
        sids.push(record.sid);
      } else if (kind < 9) {
        const status = roll(2) ? "busy" : "completed";
        const change = (record: Call) => ({ record: { ...record, status, endTime: 1 } as Call });
        await calls.update(lab.accountSid, sids[roll(sids.length)]!, change);
      } else await calls.remove(lab.accountSid, sids.splice(roll(sids.length), 1)[0]!);
    };
    let left = 1_200;
    const writers = Array.from({ length: 12 }, async () => {
      while (left-- > 0) {
        await write().catch((error) => assert.match(error.message, /^Cannot find/));
      }
    });
    const readers = Array.from({ length: 2 }, async () => {
      while (left > 0) {
        const where = filters[roll(filters.length)]!;
        await calls.list(lab.accountSid, { where, skip: roll(300), limit: 40 });
      }
    });
    await Promise.all([...writers, ...readers]);
    const pages = await pagesOf(lab);
    assert.equal(pages[0]!.total, sids.length);
    return pages;
  })();

  using again = await storeLab(file.location);
  assert.deepEqual(remembered, await pagesOf(again));
});
