import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import {
  type KeyValueStore,
  type KvCommitResult,
  type KvKey,
  type KvListOptions,
  type KvListSelector,
  KvU64,
} from "../../../kv/store/key_value_store.ts";
import { eventually } from "../../support/process/eventually.ts";
import {
  endSharedServer,
  storeKinds,
  type StoreOfTest,
} from "../../support/service/store_kinds.ts";
import { dice, shuffled } from "../../support/service/store_lab.ts";

/** Promises of `kv/store/key_value_store.ts`, for each kind of store. */
const promises: Record<string, (store: StoreOfTest, kv: KeyValueStore) => Promise<void>> = {
  async "keys sort by their parts"(_, kv) {
    const roll = dice(5);
    for (const key of shuffled(sortedKeys, roll)) await kv.set(["order", ...key], key);

    const found = await allOf(kv, { prefix: ["order"] });
    assert.deepEqual(found.map(({ key }) => key.slice(1)), sortedKeys);
    assert.deepEqual(found.map(({ value }) => value), sortedKeys);
    const back = await allOf(kv, { prefix: ["order"] }, { reverse: true, batchSize: 3 });
    assert.deepEqual(back, found.toReversed());
    for (const { key, versionstamp } of found) {
      assert.equal((await kv.get(key)).versionstamp, versionstamp);
    }
  },

  async "values come back as they were"(_, kv) {
    for (const [name, value] of Object.entries(values)) {
      await kv.set(["value", name], value);
      assert.deepEqual((await kv.get(["value", name])).value, value, name);
    }
    const part = new Uint8Array(1_000).fill(7).subarray(3, 6);
    await kv.set(["value", "part"], part);
    assert.deepEqual(
      (await kv.get<Uint8Array>(["value", "part"])).value,
      new Uint8Array([7, 7, 7]),
    );
  },

  async "versions grow, are those of a commit, and go with their entries"(_, kv) {
    assert.deepEqual(await kv.get(["v"]), absent(["v"]));
    const first = made(await kv.atomic().set(["v", 1], "a").set(["v", 2], "b").commit());
    const second = made(await kv.atomic().set(["v", 2], "c").sum(["v", 3], 1n).commit());
    assert.match(first, /^[0-9a-f]{20}$/);
    assert.ok(second > first);
    const found = await kv.getMany([["v", 1], ["v", 2], ["v", 3]]);
    assert.deepEqual(found.map(({ versionstamp }) => versionstamp), [first, second, second]);
    let last = second;
    for (let n = 0; n < 50; n++) {
      const { versionstamp } = await kv.set(["v", n % 3], n);
      assert.ok(versionstamp > last);
      last = versionstamp;
    }
    await kv.delete(["v", 1]);
    assert.deepEqual(await kv.get(["v", 1]), absent(["v", 1]));
  },

  async "a check of a version, and of an absent entry, refuses a commit whole"(_, kv) {
    const key = ["check", "a"];
    const insert = (value: number) =>
      kv.atomic().check({ key, versionstamp: null }).set(key, value).set(["check", value], 1)
        .commit();
    const at = made(await insert(1));
    assert.deepEqual(await insert(2), { ok: false });
    assert.deepEqual(await kv.get(["check", 2]), absent(["check", 2]));
    const update = (versionstamp: string | null) =>
      kv.atomic().check({ key, versionstamp }).set(key, 3).delete(["check", 1]).commit();
    const later = made(await update(at));
    assert.deepEqual(await update(at), { ok: false });
    assert.deepEqual(await update(null), { ok: false });
    await kv.delete(key);
    assert.deepEqual(await update(later), { ok: false });
    made(await update(null)); // It is absent again.
  },

  async "of two that insert at once, one does"(store, kv) {
    using other = await store.open();
    for (let n = 0; n < 20; n++) {
      const key = ["insert", n];
      const results = await Promise.all(
        [kv, other, kv, other].map((one, value) =>
          one.atomic().check({ key, versionstamp: null }).set(key, value).sum(["inserts"], 1n)
            .commit()
        ),
      );
      assert.equal(results.filter(({ ok }) => ok).length, 1);
      assert.equal((await kv.get(key)).value, results.findIndex(({ ok }) => ok));
    }
    assert.deepEqual((await kv.get(["inserts"])).value, new KvU64(20n));
  },

  async "two writers lose none of each other's changes"(store, kv) {
    using other = await store.open();
    const key = ["two"];
    const raise = async (one: KeyValueStore) => {
      for (;;) {
        const { value, versionstamp } = await one.get<number>(key);
        const op = one.atomic().check({ key, versionstamp }).set(key, (value ?? 0) + 1);
        if ((await op.sum(["sums"], 1n).max(["most"], BigInt(value ?? 0)).commit()).ok) return;
      }
    };
    const writer = async (one: KeyValueStore) => {
      for (let n = 0; n < 25; n++) await raise(one);
    };
    await Promise.all([kv, other].map(writer));

    assert.equal((await kv.get(key)).value, 50);
    assert.deepEqual((await other.get(["sums"])).value, new KvU64(50n));
    assert.deepEqual((await other.get(["most"])).value, new KvU64(49n));
  },

  async "what is read at once is of one moment"(store, kv) {
    using other = await store.open();
    const keys = Array.from({ length: 10 }, (_, n) => ["moment", n]);
    let isOver = false;
    const setAll = async (to: number) => {
      const op = other.atomic();
      for (const key of keys) op.set(key, to);
      made(await op.commit());
    };
    await setAll(0);
    const write = async () => {
      for (let n = 1; n < 100; n++) await setAll(n);
      isOver = true;
    };
    const read = async () => {
      while (!isOver) {
        const found = await kv.getMany<number[]>(keys);
        assert.equal(new Set(found.map(({ versionstamp }) => versionstamp)).size, 1);
        const list = await allOf(kv, { prefix: ["moment"] });
        assert.equal(new Set(list.map(({ versionstamp }) => versionstamp)).size, 1);
      }
    };
    await Promise.all([write(), read(), read()]);
  },

  async "a commit is seen by every read after it, through any handle"(store, kv) {
    using other = await store.open();
    for (let n = 0; n < 30; n++) {
      await kv.set(["seen"], n);
      assert.equal((await other.get(["seen"])).value, n);
      const [listed] = await allOf(other, { start: ["seen"], end: ["seen", 0] });
      assert.equal(listed!.value, n);
    }
  },

  async "ranges are those of their selectors, both ways"(_, kv) {
    const op = kv.atomic();
    for (const at of ["a", "b", "c", "d", "e"]) op.set(["range", at], at).set(["range", at, 1], at);
    op.set(["range"], "itself").set(["rangf"], "after").set(["rangd"], "before");
    made(await op.commit());
    const texts = async (selector: KvListSelector, options?: KvListOptions) =>
      (await allOf(kv, selector, options)).map(({ key }) => key.slice(1).join("")).join(" ");
    const prefix = ["range"];
    const [start, end] = [["range", "b", 1], ["range", "d", 1]];
    assert.equal(await texts({ prefix }), "a a1 b b1 c c1 d d1 e e1");
    assert.equal(await texts({ prefix, start }), "b1 c c1 d d1 e e1");
    assert.equal(await texts({ prefix, end }), "a a1 b b1 c c1 d");
    assert.equal(await texts({ start, end }), "b1 c c1 d");
    assert.equal(await texts({ start, end }, { reverse: true }), "d c1 c b1");
    assert.equal(await texts({ start, end: start }), "");
    await assert.rejects(texts({ start: end, end: start }), /greater/);
    assert.equal(await texts({ prefix: ["range", "c"] }), "c1");
    for (const batchSize of [1, 2, 3, 10]) {
      assert.equal(await texts({ prefix }, { batchSize, limit: 5 }), "a a1 b b1 c");
      const reverse = { batchSize, reverse: true };
      assert.equal(await texts({ prefix }, { ...reverse, limit: 5 }), "e1 e d1 d c1");
      assert.equal(await texts({ prefix }, reverse), "e1 e d1 d c1 c b1 b a1 a");
    }
  },

  async "a long list is read whole while others write before and behind it"(store, kv) {
    using other = await store.open();
    await fill(kv, "long", 2_500);
    const found: unknown[] = [];
    for await (const { key } of kv.list({ prefix: ["long"] }, { batchSize: 200 })) {
      if (found.length % 500 === 0) await other.atomic().set(["long", -1], 0).commit();
      found.push(key[1]);
    }
    assert.deepEqual(found, Array.from({ length: 2_500 }, (_, n) => n));
  },

  async "counters move by sum, min and max, modulo 2^64"(_, kv) {
    const [sum, min, max] = [["c", "sum"], ["c", "min"], ["c", "max"]];
    const move = async (by: bigint) => {
      made(await kv.atomic().sum(sum, by).min(min, by).max(max, by).commit());
      return (await kv.getMany<KvU64[]>([sum, min, max])).map(({ value }) => value?.value);
    };
    assert.deepEqual(await move(5n), [5n, 5n, 5n]);
    assert.deepEqual(await move(3n), [8n, 3n, 5n]);
    assert.deepEqual(await move(2n ** 64n - 4n), [4n, 3n, 2n ** 64n - 4n]);
    assert.deepEqual(await move(2n ** 64n - 5n), [2n ** 64n - 1n, 3n, 2n ** 64n - 4n]);
    await kv.set(sum, new KvU64(2n ** 63n - 1n));
    made(await kv.atomic().sum(sum, 2n).sum(sum, 1n).commit());
    assert.deepEqual((await kv.get(sum)).value, new KvU64(2n ** 63n + 2n));
    made(await kv.atomic().sum(sum, 2n ** 63n).commit());
    assert.deepEqual((await kv.get(sum)).value, new KvU64(2n));
    await kv.set(["c", "text"], "5");
    await assert.rejects(kv.atomic().sum(["c", "text"], 1n).commit());
    assert.equal((await kv.get(["c", "text"])).value, "5");
    assert.throws(() => new KvU64(-1n), RangeError);
  },

  async "the writes to a key are made in their order"(_, kv) {
    const op = kv.atomic().set(["turn", 1], "a").delete(["turn", 1]).delete(["turn", 2])
      .set(["turn", 2], "b").set(["turn", 2], "c").delete(["turn", 3]).sum(["turn", 3], 4n)
      .set(["turn", 4], new KvU64(9n)).sum(["turn", 4], 1n).sum(["turn", 5], 4n)
      .set(["turn", 5], "d");
    await kv.set(["turn", 3], new KvU64(100n));
    made(await op.commit());
    const found = await allOf(kv, { prefix: ["turn"] });
    assert.deepEqual(found.map(({ key, value }) => [key[1], value]), [
      ...[[2, "c"], [3, new KvU64(4n)], [4, new KvU64(10n)], [5, "d"]],
    ]);
  },

  async "an entry is set at the version of its commit"(_, kv) {
    const first = made(await kv.atomic().setAtVersion(["log"], "a").set(["beside"], 1).commit());
    const second = made(await kv.atomic().setAtVersion(["log"], "b").commit());
    assert.deepEqual(await allOf(kv, { prefix: ["log"] }), [
      { key: ["log", first], value: "a", versionstamp: first },
      { key: ["log", second], value: "b", versionstamp: second },
    ]);
  },

  async "an entry that expires is found until then, and stays when it is set without"(_, kv) {
    await kv.set(["expires"], 1, { expireIn: 3_600_000 });
    assert.equal((await kv.get(["expires"])).value, 1);
    await kv.set(["expires"], 2);
    assert.equal((await kv.get(["expires"])).value, 2);
  },

  async "what a commit may hold is bounded, and that much it takes"(_, kv) {
    const long = "k".repeat(2_040);
    const most = kv.atomic().set(["most", "value"], new Uint8Array(65_536)).set([long], long);
    for (let n = 0; n < kv.mostChecks; n++) most.check({ key: ["no", n], versionstamp: null });
    for (let n = 0; n < 998; n++) most.set(["most", n], null);
    made(await most.commit());
    assert.equal((await kv.get([long])).value, long);
    assert.equal((await allOf(kv, { prefix: ["most"] }, { batchSize: 500 })).length, 999);

    const refused = async (name: string, act: () => Promise<unknown>) => {
      await assert.rejects(act, (error) => error instanceof Error && error.message !== "", name);
    };
    await refused("value", () => kv.set(["a"], new Uint8Array(65_537)));
    await refused("text", () => kv.set(["a"], "x".repeat(70_000)));
    await refused("key", () => kv.set([long.repeat(2)], 1));
    await refused("key that is read", () => kv.get([long.repeat(2)]));
    await refused("writes", () => {
      const op = kv.atomic();
      for (let n = 0; n < 1_001; n++) op.set(["a", n], null);
      return op.commit();
    });
    await refused("checks", () => {
      const op = kv.atomic();
      for (let n = 0; n <= kv.mostChecks; n++) op.check({ key: ["no", n], versionstamp: null });
      return op.set(["a"], 1).commit();
    });
    await refused("function", () => kv.set(["a"], () => {}));
    assert.deepEqual(await allOf(kv, { prefix: ["a"] }), []);
    assert.deepEqual(await kv.get(["a"]), absent(["a"]));
  },

  async "a watch tells what is there, and each later state"(store, kv) {
    using other = await store.open();
    await using watched = watching(kv, ["watched"]);
    await watched.until(null);
    await other.set(["watched"], "a");
    await watched.until("a");
    await kv.delete(["watched"]);
    await watched.until(null);
    made(await other.atomic().sum(["watched"], 7n).set(["beside"], "c").commit());
    await watched.until(new KvU64(7n));
    for (let n = 0; n < 100; n++) await other.set(["watched"], n);
    await watched.until(99); // Those between may be passed over.
  },

  async "a watch goes on after its connection broke"(store, kv) {
    if (store.breakConnections === undefined) return;
    await kv.set(["again"], 0);
    await using watched = watching(kv, ["again"]);
    await watched.until(0);
    for (let n = 1; n <= 3; n++) {
      await store.breakConnections();
      using other = await store.open();
      await other.set(["again"], n);
      await watched.until(n);
    }
  },

  async "a commit whose connection broke was made once, or not at all"(store, kv) {
    if (store.breakConnections === undefined) return;
    const outcomes = new Map<number, string>();
    let isOver = false;
    let next = 0;
    const writer = async () => {
      while (!isOver) {
        const n = next++;
        // If a commit is repeated, its check refuses the second one.
        const op = kv.atomic().check({ key: ["once", n], versionstamp: null }).set(["once", n], n);
        const outcome = await op.sum(["times"], 1n).commit()
          .then(({ ok }) => ok ? "made" : "refused", () => "unknown");
        outcomes.set(n, outcome);
      }
    };
    const writers = Array.from({ length: 8 }, writer);
    for (let n = 0; n < 4; n++) {
      const before = outcomes.size;
      await eventually("commits go on", () => outcomes.size >= before + 50);
      await store.breakConnections();
    }
    isOver = true;
    await Promise.all(writers);

    const stored = new Set((await allOf(kv, { prefix: ["once"] })).map(({ value }) => value));
    const { value: times } = await kv.get<KvU64>(["times"]);
    assert.equal(times?.value, BigInt(stored.size));
    for (const [n, outcome] of outcomes) {
      if (outcome === "made") assert.ok(stored.has(n), `${n} was made`);
      // No other client wrote it: it is refused if it was made before.
      if (outcome === "refused") assert.ok(kv.repeatsCommits && stored.has(n), `${n} was refused`);
    }
    assert.ok([...outcomes.values()].filter((one) => one === "made").length >= 200);
  },

  async "what was committed is there when the store is opened again"(store, kv) {
    if (!store.isKept) return;
    const versionstamp = made(await kv.atomic().set(["kept"], "a").sum(["kept", 1], 3n).commit());
    kv.close();
    using again = await store.open();
    assert.deepEqual(await again.get(["kept"]), { key: ["kept"], value: "a", versionstamp });
    assert.deepEqual((await again.get(["kept", 1])).value, new KvU64(3n));
    assert.ok((await again.set(["kept"], "b")).versionstamp > versionstamp);
  },
};

/** Keys in their order. */
const sortedKeys: KvKey[] = [
  [new Uint8Array([])],
  [new Uint8Array([0])],
  [new Uint8Array([0]), "a"],
  [new Uint8Array([0, 0])],
  [new Uint8Array([0, 255])],
  [new Uint8Array([1])],
  [new Uint8Array([255])],
  [new Uint8Array([255, 255])],
  [""],
  ["", 1],
  ["\0"],
  ["\0\0"],
  ["\u0001"],
  ["a"],
  ["a", new Uint8Array([1])],
  ["a", "b"],
  ["a", 1n],
  ["a", true],
  ["a\0"],
  ["ab"],
  ["é"],
  ["\uffee"],
  ["😀"], // Its UTF-16 would sort before.
  [-(2n ** 100n)],
  [-(2n ** 64n)],
  [-(2n ** 64n - 1n)],
  [-256n],
  [-255n],
  [-1n],
  [0n],
  [1n],
  [1n, "x"],
  [255n],
  [256n],
  [2n ** 64n - 1n],
  [2n ** 64n],
  [2n ** 100n],
  [-Infinity],
  [-1.5],
  [-1],
  [-0],
  [0],
  [Number.MIN_VALUE],
  [1],
  [1.5],
  [1e300],
  [Infinity],
  [NaN],
  [false],
  [false, 1],
  [true],
];

/** Values of all sorts. */
const values = {
  bytes: new Uint8Array([0, 1, 255]),
  none: new Uint8Array([]),
  text: "Grüße, 世界 😀",
  empty: "",
  latin: "\u00ff\u0000",
  number: -0.5,
  notANumber: NaN,
  bigint: 2n ** 70n,
  isTrue: true,
  nothing: null,
  missing: undefined,
  date: new Date(5),
  object: { a: [1, "b", { c: null }], d: undefined, e: new Map([[1, new Set(["x"])]]) },
  counter: new KvU64(2n ** 64n - 1n),
};

const absent = (key: KvKey) => ({ key, value: null, versionstamp: null });

/** The version of a commit that was made. */
function made(result: KvCommitResult): string {
  assert.ok(result.ok);
  return result.versionstamp;
}

const allOf = (kv: KeyValueStore, selector: KvListSelector, options?: KvListOptions) =>
  Array.fromAsync(kv.list(selector, options));

async function fill(kv: KeyValueStore, name: string, count: number): Promise<void> {
  for (let at = 0; at < count; at += 500) {
    const op = kv.atomic();
    for (let n = at; n < Math.min(count, at + 500); n++) op.set([name, n], n);
    made(await op.commit());
  }
}

/** Watches an entry; `until` resolves when it has a value. */
function watching(kv: KeyValueStore, key: KvKey) {
  const reader = kv.watch(key).getReader();
  return {
    async until(wanted: unknown): Promise<void> {
      for (let found: unknown = watching; !isDeepStrictEqual(found, wanted);) {
        const { done, value } = await reader.read();
        assert.ok(!done, "the watch ended");
        found = value.value;
      }
    },
    async [Symbol.asyncDispose]() {
      await reader.cancel();
    },
  };
}

Deno.test.afterAll(endSharedServer);

for (const [kind, start] of Object.entries(storeKinds)) {
  for (const [promise, hold] of Object.entries(promises)) {
    Deno.test({
      name: `${kind}: ${promise}`,
      sanitizeOps: false, // A watch of Deno KV ends some time after it was cancelled.
      sanitizeResources: false, // The cluster of PostgreSQL is there for all tests.
      async fn() {
        await using store = await start();
        using kv = await store.open();
        await hold(store, kv);
      },
    });
  }
}
