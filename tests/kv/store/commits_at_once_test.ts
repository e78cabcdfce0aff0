import assert from "node:assert/strict";
import { systemClocks } from "../../../core/machine/process/clocks.ts";
import { emptyBatch, stageSum } from "../../../kv/store/batch.ts";
import { committer } from "../../../kv/store/commit.ts";
import { receiptOf } from "../../../kv/store/receipt.ts";
import { startKvConnect } from "../../support/service/kv_connect.ts";
import { openDenoKv } from "../../../kv/engines/deno_kv.ts";
import { KvU64 } from "../../../kv/store/key_value_store.ts";

/** A committer of a remote store that makes so many commits at once. */
async function openCommitter(url: string, writers: number) {
  const kv = await openDenoKv(url);
  const receipts = Array.from({ length: writers }, () => receiptOf(kv, systemClocks));
  const { commit } = committer(kv, { checks: 8, receipts });
  return {
    kv,
    /** Sets a key to a value if its entry is the one that is given. */
    set(name: string, value: number, versionstamp: string | null = null) {
      const batch = emptyBatch();
      batch.checks.push({ key: [name], versionstamp });
      batch.sets.push({ key: [name], value });
      stageSum(batch, ["sum"], 1);
      return commit(batch);
    },
    [Symbol.dispose]: () => kv.close(),
  };
}

/** Resolves when batches that were handed over are on their way. */
const nextTurn = () => new Promise((wake) => setTimeout(wake));

Deno.test("a commit is made while another is under way, and one of the same key waits", async () => {
  await using endpoint = startKvConnect();
  using store = await openCommitter(endpoint.url, 3);
  const held = endpoint.holdWrite();
  const first = store.set("a", 1);
  await held.taken;
  let isOver = false;
  const later = store.set("a", 2).finally(() => isOver = true);
  await nextTurn();
  const other = await store.set("b", 1);
  const behind = await store.set("c", 1);
  assert.ok(other !== null && behind !== null, "they do not wait behind the one that waits");
  assert.equal(isOver, false, "the one of the same key waits");
  assert.equal((await store.kv.get(["a"])).value, null);
  held.letGo();
  assert.notEqual(await first, null);
  assert.equal(await later, null, "its check fails, as the first has changed the entry");
  assert.equal((await store.kv.get(["a"])).value, 1);
});

Deno.test("commits of one key are made in the order in which they were handed over", async () => {
  await using endpoint = startKvConnect();
  using store = await openCommitter(endpoint.url, 4);
  const held = endpoint.holdWrite();
  const first = store.set("a", 1);
  await held.taken;
  const [second, third] = [store.set("a", 2), store.set("a", 3)];
  held.letGo();
  const made = [await first, await second, await third].map((committed) => committed !== null);
  assert.deepEqual(made, [true, false, false]);
});

Deno.test("each of many commits at once is made once, though responses are lost", async () => {
  await using endpoint = startKvConnect();
  using store = await openCommitter(endpoint.url, 8);
  for (let round = 0; round < 5; round++) {
    endpoint.lostAnswers = 6;
    const names = Array.from({ length: 40 }, (_, n) => `${round}.${n}`);
    const committed = await Promise.all(names.map((name) => store.set(name, 1)));
    assert.ok(committed.every((one) => one !== null));
  }
  assert.deepEqual((await store.kv.get(["sum"])).value, new KvU64(200n));
});
