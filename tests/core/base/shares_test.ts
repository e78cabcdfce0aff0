import assert from "node:assert/strict";
import { createShares } from "../../../core/base/shares.ts";

Deno.test("a tenant has its share, and leaves places for others and for the operator", () => {
  const shares = createShares({ most: 64, each: 10 });
  const taken = (tenant?: string) => {
    let count = 0;
    while (shares.take(tenant) !== null) count++;
    return count;
  };

  assert.equal(taken("ACa"), 10);
  assert.equal(taken("ACb"), 10);
  const others = Array.from({ length: 8 }, (_, i) => taken(`AC${i}`));
  assert.ok(others.every((count) => count >= 1), `each has a first place: ${others}`);
  assert.equal(taken(undefined), 64 - 20 - others.reduce((sum, count) => sum + count));
});

Deno.test("a free place is for the tenants that wait, in turn", async () => {
  const shares = createShares({ most: 8, each: 1 });
  const [first, second] = [shares.take("ACa"), shares.take("ACb")];
  const order: string[] = [];
  const waiting = ["a1", "a2", "b1"].map(async (name) => {
    const leave = await shares.wait(`AC${name[0]}`, 60_000);
    order.push(name);
    queueMicrotask(() => leave!());
  });

  first!();
  second!();
  second!(); // Counts once.
  await Promise.all(waiting);
  assert.deepEqual(order.toSorted(), ["a1", "a2", "b1"]);
  assert.ok(order.indexOf("b1") < order.indexOf("a2"));
  assert.notEqual(shares.take("ACa"), null);
});

Deno.test("wait() gives up when its time is over, and leaves nothing behind", async () => {
  const shares = createShares({ most: 8, each: 1 });
  const leave = shares.take("ACa")!;
  assert.equal(await shares.wait("ACa", 1), null);
  leave();
  assert.notEqual(shares.take("ACa"), null);
});
