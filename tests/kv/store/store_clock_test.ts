import assert from "node:assert/strict";
import { storeClock } from "../../../kv/store/store_clock.ts";
import { handClock } from "../../support/service/hand_clock.ts";
import { openDenoKv } from "../../../kv/engines/deno_kv.ts";

/** The clock of a store as each of its processes has it; each begins with the wall clock. */
async function lab() {
  const kv = await openDenoKv(":memory:");
  const clock = handClock(Date.UTC(2024, 0, 1));
  const open = () => {
    const begun = { wall: clock.now, steady: clock.steady };
    const steadyNow = () => begun.wall + clock.steady - begun.steady;
    return storeClock(kv, { now: () => clock.now, steadyNow }, { isShared: false });
  };
  return { clock, open, [Symbol.dispose]: () => kv.close() };
}

Deno.test("the monotonic clock of a store goes on over steps of the wall clock and restarts", async () => {
  using store = await lab();
  const { clock } = store;
  for (const step of [20_000, -20_000, 3_600_000, -3_600_000, 10_800_000, -10_800_000]) {
    const first = await store.open();
    const before = first.steadyNow();
    clock.step(step);
    assert.equal(first.steadyNow(), before);
    assert.equal(await first.look(), step);
    assert.equal(await first.look(), 0, "told once");
    clock.now += 5_000;
    const second = await store.open();
    assert.equal(second.steadyNow(), before + 5_000);
    assert.equal(await second.look(), 0);
  }
});

Deno.test("a wall clock set back between two processes does not turn a store's clock back", async () => {
  using store = await lab();
  const { clock } = store;
  const first = await store.open();
  clock.now += 60_000;
  await first.look();
  const reached = first.steadyNow();
  clock.step(-54 * 365 * 86_400_000); // The battery is empty: it is 1970.
  const second = await store.open();
  assert.equal(second.steadyNow(), reached);
  clock.step(54 * 365 * 86_400_000);
  assert.equal(second.steadyNow(), reached);
});

Deno.test("slow drift of the wall clock is no step, until it adds up", async () => {
  using store = await lab();
  const first = await store.open();
  for (let i = 0; i < 5; i++) {
    store.clock.step(100);
    assert.equal(await first.look(), 0);
  }
  store.clock.step(1);
  assert.equal(await first.look(), 501);
});

Deno.test("a service that starts on a shared store takes over the time of those that run", async () => {
  using kv = await openDenoKv(":memory:");
  const clock = handClock(Date.UTC(2024, 0, 1));
  const running: (() => Promise<unknown>)[] = [];
  const pause = async (ms: number) => {
    clock.now += ms;
    for (const look of running) await look();
  };
  const open = async () => {
    const ahead = clock.now - clock.steady; // The wall clock at the start of the process.
    const steadyNow = () => clock.steady + ahead;
    return await storeClock(kv, { now: () => clock.now, steadyNow }, { isShared: true, pause });
  };
  const first = await open();
  running.push(first.look);
  await pause(3_000);
  const begunAt = clock.steady;
  await open();
  assert.equal(clock.steady, begunAt, "the clocks agree: it does not wait");
  for (const step of [3_600_000, -3_600_000, -20_000]) {
    clock.step(step);
    const second = await open();
    assert.ok(Math.abs(second.steadyNow() - first.steadyNow()) <= 4_000, `after ${step} ms`);
  }
  running.length = 0; // All have ended.
  const reached = first.steadyNow();
  const alone = await open();
  assert.ok(alone.steadyNow() >= reached, "it does not go back");
});
