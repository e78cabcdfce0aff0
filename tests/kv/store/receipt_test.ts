import assert from "node:assert/strict";
import { keys } from "../../../kv/store/keys.ts";
import { openStore } from "../../../kv/open_store.ts";
import { receiptOf } from "../../../kv/store/receipt.ts";
import { startKvConnect } from "../../support/service/kv_connect.ts";
import { storeLab } from "../../support/service/store_lab.ts";
import { openDenoKv } from "../../../kv/engines/deno_kv.ts";
import { type KvKey, KvU64 } from "../../../kv/store/key_value_store.ts";

const dayMs = 86_400_000;

const receiptsIn = async (url: string): Promise<KvKey[]> => {
  using kv = await openDenoKv(url);
  const found = await Array.fromAsync(kv.list({ prefix: keys.receipts }));
  return found.map(({ key }) => key);
};

Deno.test("a receipt proves a commit whose answer was lost, also across midnight", async () => {
  using kv = await openDenoKv(":memory:");
  let now = 10 * dayMs - 1;
  const receipt = receiptOf(kv, { now: () => now, steadyNow: () => now });
  const commit = async (isLost: boolean) => {
    const op = kv.atomic();
    receipt.stage(op);
    return isLost ? null : await op.commit();
  };
  await commit(false);
  assert.notEqual(await receipt.find(), null);
  await commit(true); // It never arrived.
  assert.equal(await receipt.find(), null);

  now += 1;
  await commit(false);
  assert.notEqual(await receipt.find(), null);
  const [only, ...more] = await Array.fromAsync(kv.list({ prefix: keys.receipts }));
  assert.deepEqual([only!.key[1], only!.value, more], [10, new KvU64(3n), []]);

  now += dayMs + 1;
  await assert.rejects(receipt.find(), /responded too late/);
});

Deno.test("receipts of instances that are gone are removed by one that starts days later", async () => {
  await using endpoint = startKvConnect();
  const { url } = endpoint;
  const lab = await storeLab(url); // Its root account is a commit.
  lab[Symbol.dispose]();
  const left: number[] = [];
  for (const days of [0, 2, 3]) {
    const now = () => lab.clock.now + days * dayMs;
    (await openStore({ location: url, secretKey: "lab", now })).close();
    left.push((await receiptsIn(url)).length);
  }
  assert.deepEqual(left, [1, 1, 0]);
});
