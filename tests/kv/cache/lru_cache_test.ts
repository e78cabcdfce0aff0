import assert from "node:assert/strict";
import { lruCache } from "../../../kv/cache/lru_cache.ts";

Deno.test("keep() drops the values that were used least recently", () => {
  const kept = lruCache<number>(100);
  for (let n = 0; n < 30; n++) {
    kept.keep(`${n}`, n, 10);
    kept.get("0"); // It is read again and again.
  }

  const left = Array.from({ length: 30 }, (_, n) => n).filter((n) => kept.peek(`${n}`) === n);

  assert.ok(left.length <= 10, `${left} cost no more than there may be`);
  assert.ok(left.includes(0) && left.includes(29), `${left}`);
});

Deno.test("keep() counts a name once, with its latest cost", () => {
  const kept = lruCache<number>(100);
  kept.keep("first", 0, 20);
  for (let n = 0; n < 30; n++) kept.keep("again", n, 30);

  assert.equal(kept.peek("first"), 0);
  assert.equal(kept.peek("again"), 29);
});

Deno.test("keep() caches no value that would displace all others, and drops the one of its name", () => {
  const kept = lruCache<string>(100);
  for (const name of ["a", "b"]) kept.keep(name, name, 20);

  kept.keep("large", "large", 51);
  kept.keep("a", "large", 51);

  assert.equal(kept.peek("large"), undefined);
  assert.equal(kept.peek("a"), undefined);
  assert.equal(kept.peek("b"), "b");
});

Deno.test("forget() forgets a value of either generation", () => {
  const kept = lruCache<number>(100);
  kept.keep("old", 1, 50);
  kept.keep("young", 2, 50);

  for (const name of ["old", "young"]) {
    assert.notEqual(kept.peek(name), undefined);
    kept.forget(name);
    assert.equal(kept.get(name), undefined);
  }
});

Deno.test("isFull() is true once further values displace others", () => {
  const kept = lruCache<number>(100);
  for (const name of ["a", "b"]) kept.keep(name, 1, 25);
  assert.ok(!kept.isFull());

  kept.keep("c", 1, 25);
  assert.ok(kept.isFull());
});
