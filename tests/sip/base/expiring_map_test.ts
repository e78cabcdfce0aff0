import assert from "node:assert/strict";
import { createExpiringMap } from "../../../sip/base/expiring_map.ts";
import { handClock } from "../../support/process/hand_clock.ts";

Deno.test("createExpiringMap() drops the oldest beyond its bound, and the rest in time", () => {
  const clock = handClock();
  const dropped: number[] = [];
  const map = createExpiringMap<number>({
    clock,
    ttlMs: 1_000,
    max: 2,
    onDrop: (value) => dropped.push(value),
  });

  map.set("one", 1);
  map.set("two", 2);
  clock.advance(600);
  map.set("one", 10);
  map.set("three", 3);
  assert.deepEqual(dropped, [2]);
  clock.advance(900);
  assert.equal(map.get("one"), 10);
  clock.advance(1_000);
  assert.deepEqual(dropped, [2, 10, 3]);
  assert.equal(map.get("one"), undefined);
  assert.equal(clock.waiting(), 0);
});

Deno.test("createExpiringMap() counts and drops nothing that was deleted", () => {
  const clock = handClock();
  const dropped: number[] = [];
  const map = createExpiringMap<number>({
    clock,
    ttlMs: 1_000,
    max: 2,
    onDrop: (value) => dropped.push(value),
  });

  map.set("one", 1);
  map.set("two", 2);
  map.delete("one");
  map.set("three", 3);
  map.delete("three");
  map.set("four", 4);

  assert.deepEqual(dropped, []);
  clock.advance(1_500);
  assert.deepEqual(dropped, [2, 4]);
  assert.equal(clock.waiting(), 0);
});
