import assert from "node:assert/strict";
import type { Base } from "../../../core/base/record.ts";
import type { Query, Slice } from "../../../core/model/store.ts";
import { emptyBatch } from "../../../kv/store/batch.ts";
import { listStates } from "../../../kv/cache/list_states.ts";
import { pageCache } from "../../../kv/cache/page_cache.ts";

const place = { account: 7n, prefix: "CA" };
const query: Query = { where: [], skip: 0, limit: 51 };

/** A cache whose pages are named in the order in which they are read. */
function labOf({ bytes = 1 << 20, isAlone = true } = {}) {
  const states = listStates();
  const cache = pageCache(bytes, isAlone ? states : null);
  let reads = 0;
  const read = () => Promise.resolve(sliceOf(`read ${++reads}`));
  const ask = async (asked: Query = query, at = place) =>
    (await cache.page(at, asked, read)).items[0]!.sid;
  return { cache, states, ask };
}

const sliceOf = (sid: string): Slice<Base> => ({
  items: [{ sid, accountSid: "", dateCreated: 0, dateUpdated: 0 }],
  total: 1,
});

/** A commit that writes a key of an account. */
function writing(account: bigint, prefix: string, isDeleted = false) {
  const batch = emptyBatch();
  const key = [account, prefix, new Uint8Array(16)];
  if (isDeleted) batch.deletes.push(key);
  else batch.sets.push({ key, value: null });
  return batch;
}

Deno.test("page() gives a page again that was asked for before", async () => {
  const { ask } = labOf();

  const found = [await ask(), await ask(), await ask(), await ask()];

  assert.deepEqual(found, ["read 1", "read 2", "read 2", "read 2"]);
});

Deno.test("page() gives none again where others write to the store, and tells what is asked again", async () => {
  const { cache, ask } = labOf({ isAlone: false });
  const told: boolean[] = [];
  const read = (isAgain: boolean) => {
    told.push(isAgain);
    return Promise.resolve(sliceOf("CA"));
  };

  assert.deepEqual([await ask(), await ask(), await ask()], ["read 1", "read 2", "read 3"]);
  for (const skip of [1, 1, 2, 1]) await cache.page(place, { ...query, skip }, read);
  assert.deepEqual(told, [false, true, false, true]);
});

Deno.test("page() freezes what it keeps", async () => {
  const { cache } = labOf();
  const ask = () => cache.page(place, query, () => Promise.resolve(sliceOf("CA")));
  await ask();
  const slice = await ask();

  assert.throws(() => slice.items.pop(), TypeError);
  assert.throws(() => slice.items[0]!.sid = "", TypeError);
});

Deno.test("page() tells queries and lists apart", async () => {
  const { ask } = labOf();
  const between = { field: "startTime", op: "between", from: 0, before: 9 } as const;
  const asked: [Query, typeof place][] = [
    [query, place],
    [query, { ...place, account: 8n }],
    [query, { ...place, prefix: "SM" }],
    [{ ...query, skip: 50 }, place],
    [{ ...query, after: "CA1" }, place],
    [{ ...query, where: [between] }, place],
    [{ ...query, where: [{ ...between, before: Infinity }] }, place],
    [{ ...query, where: [{ ...between, from: -Infinity }] }, place],
    [{ ...query, where: [{ field: "from", op: "equals", value: "9" }] }, place],
  ];
  for (const [query, at] of asked) await ask(query, at);

  const again: string[] = [];
  for (const [query, at] of [...asked, ...asked]) again.push(await ask(query, at));

  assert.equal(new Set(again).size, asked.length);
  assert.deepEqual(again.slice(0, asked.length), again.slice(asked.length));
});

for (const isDeleted of [false, true]) {
  Deno.test(`page() reads anew after a commit that ${isDeleted ? "deletes" : "sets"} a key of the list`, async () => {
    const { states, ask } = labOf();
    const other = { ...place, account: 8n };
    for (const at of [place, place, other, other]) await ask(query, at); // Read 2 and 4 are kept.

    await states.began(writing(7n, "CA", isDeleted));
    const meanwhile = [await ask(), await ask(), await ask(query, other)];
    states.ended();

    assert.deepEqual(meanwhile, ["read 5", "read 6", "read 4"]);
    assert.deepEqual([await ask(), await ask(), await ask(query, other)], [
      "read 7",
      "read 7",
      "read 4",
    ]);
  });
}

/** A read that ends when it is told. */
function lateRead(cache: ReturnType<typeof labOf>["cache"]) {
  const { promise, resolve } = Promise.withResolvers<Slice<Base>>();
  return { found: cache.page(place, query, () => promise), end: () => resolve(sliceOf("late")) };
}

Deno.test("page() does not keep what was read while a commit began or ended", async () => {
  for (const orders of ["read began ended", "began read ended", "read began end ended"]) {
    const { cache, states, ask } = labOf();
    await ask();
    let late: ReturnType<typeof lateRead> | undefined;
    for (const step of orders.split(" ")) {
      if (step === "read") late = lateRead(cache);
      else if (step === "end") late!.end();
      else if (step === "began") await states.began(writing(7n, "CA"));
      else states.ended();
    }
    late!.end();
    assert.equal((await late!.found).items[0]!.sid, "late");
    assert.equal(await ask(), "read 2", orders);
  }
});

Deno.test("page() asks the store once for several who ask in the same state, and no more", async () => {
  const { cache, states, ask } = labOf();
  const late = lateRead(cache);
  const [second, third] = [ask(), ask()];
  await states.began(writing(7n, "CA"));
  states.ended();
  const fourth = ask();
  late.end();

  assert.deepEqual(await Promise.all([second, third, fourth]), ["late", "late", "read 1"]);
});

Deno.test("page() asks the store for one at a time while a commit is under way, for all who wait", async () => {
  for (const isFailing of [false, true]) {
    const { cache, states, ask } = labOf();
    await states.began(writing(7n, "CA"));
    const first = Promise.withResolvers<Slice<Base>>();
    const found = cache.page(place, query, () => first.promise);
    const waiting = [ask(), ask(), ask({ ...query, skip: 50 })];
    if (isFailing) first.reject(new Error("The store is slow"));
    else first.resolve(sliceOf("first"));

    if (isFailing) await assert.rejects(found, /slow/);
    else assert.equal((await found).items[0]!.sid, "first");
    assert.deepEqual(await Promise.all(waiting), ["read 2", "read 2", "read 1"]);
    assert.equal(await ask(), "read 3");
    states.ended();
    assert.equal(await ask(), "read 4");
  }
});

Deno.test("page() keeps nothing of a read that failed", async () => {
  const { cache, ask } = labOf();
  const fail = () => cache.page(place, query, () => Promise.reject(new Error("The store is slow")));
  await assert.rejects(fail, /slow/);
  await assert.rejects(fail, /slow/);

  assert.equal(await ask(), "read 1");
});

Deno.test("page() forgets what was asked for longest ago when there is too much", async () => {
  const { ask } = labOf({ bytes: 4_000 });
  const twice = async (
    skip: number,
  ) => [await ask({ ...query, skip }), await ask({ ...query, skip })];
  const [, kept] = await twice(0);
  assert.equal(await ask({ ...query, skip: 0 }), kept);
  for (let skip = 1; skip < 40; skip++) await twice(skip);

  assert.notEqual(await ask({ ...query, skip: 0 }), kept);
});
