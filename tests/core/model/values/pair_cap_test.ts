import assert from "node:assert/strict";
import { limits } from "../../../../core/base/limits.ts";
import { createPairCap } from "../../../../core/model/values/pair_cap.ts";

Deno.test("take() counts each pair by itself, and again after a minute", () => {
  let now = 1_000;
  const cap = createPairCap(() => now);
  const take = (to = "bob") => cap.take("alice", to);
  for (let count = 0; count < limits.messagesOfPair; count++) assert.equal(take(), "taken");
  now += 20_500;

  const over = [take(), take()];
  const another = take("carol");
  now += 39_499;
  const last = take();
  now += 1;

  assert.deepEqual(over, [
    { retryAfterS: 40, isFirst: true },
    { retryAfterS: 40, isFirst: false },
  ]);
  assert.deepEqual([another, last], ["taken", { retryAfterS: 1, isFirst: false }]);
  assert.equal(take(), "taken");
});

Deno.test("take() forgets the oldest pairs beyond its bound", () => {
  const cap = createPairCap(() => 0);
  for (let count = 0; count <= limits.messagesOfPair; count++) cap.take("alice", "bob");
  for (let count = 0; count < limits.messagePairs; count++) cap.take("alice", `${count}`);

  assert.equal(cap.take("alice", "bob"), "taken");
});
