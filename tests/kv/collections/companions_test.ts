import assert from "node:assert/strict";
import { companionStates } from "../../../kv/collections/companions.ts";
import { isLost } from "../../../core/model/ports/companion_ports.ts";
import { openDenoKv } from "../../../kv/engines/deno_kv.ts";
import type { KeyValueStore } from "../../../kv/store/key_value_store.ts";

/** Two services on a store, each with clocks of its own. */
async function service(kv: KeyValueStore, { isShared, aheadMs = 0 }: {
  isShared: boolean;
  aheadMs?: number;
}) {
  const clock = { awake: 1_000_000 };
  const now = () => clock.awake + aheadMs;
  const companions = companionStates(kv, { isShared, now, awakeNow: () => clock.awake });
  const silence = async () => (await companions.list()).map(({ silentMs }) => silentMs);
  return await Promise.resolve({ clock, companions, now, silence });
}

const companion = { id: "one", runId: "1" };

Deno.test("a companion is silent while a service on a shared store sees no heartbeat of it", async () => {
  using kv = await openDenoKv(":memory:");
  const hearing = await service(kv, { isShared: true });
  for (const aheadMs of [0, 3_600_000, -3_600_000]) {
    const other = await service(kv, { isShared: true, aheadMs });
    const beat = () => hearing.companions.beat({ ...companion, seenAt: hearing.now() });
    const pass = (ms: number) => {
      hearing.clock.awake += ms;
      other.clock.awake += ms;
    };
    await beat();
    await other.silence();
    for (let i = 0; i < 4; i++) {
      pass(5_000);
      await beat();
      assert.deepEqual(await other.silence(), [0], `${aheadMs} ms ahead`);
    }
    for (let i = 0; i < 3; i++) {
      pass(5_000);
      await other.silence();
    }
    assert.equal((await other.companions.list()).some(isLost), false);
    pass(1);
    assert.equal((await other.companions.list()).every(isLost), true);
  }
});

Deno.test("a service that could not read a shared store has heard no silence meanwhile", async () => {
  using kv = await openDenoKv(":memory:");
  const { companions, clock, now, silence } = await service(kv, { isShared: true });
  await companions.beat({ ...companion, seenAt: now() });
  clock.awake += 5_000;
  assert.deepEqual(await silence(), [5_000]);
  clock.awake += 30_000; // No list of companions came.
  assert.deepEqual(await silence(), [5_000]);
  clock.awake += 5_000;
  assert.deepEqual(await silence(), [10_000]);
});

Deno.test("a heartbeat counts though the store does not take it", async () => {
  using kv = await openDenoKv(":memory:");
  const full = new Proxy(kv, {
    get(target, name) {
      if (name === "set" && isFull) {
        return () => Promise.reject(new Error("database or disk is full"));
      }
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  let isFull = false;
  const { companions, clock, now, silence } = await service(full, { isShared: false });
  await companions.beat({ ...companion, seenAt: now() });
  isFull = true;
  for (let i = 0; i < 4; i++) {
    clock.awake += 5_000;
    await assert.rejects(companions.beat({ ...companion, seenAt: now() }));
  }
  isFull = false;
  assert.deepEqual(await silence(), [0]);
});
