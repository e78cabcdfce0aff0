import assert from "node:assert/strict";
import { tokenBuckets } from "../../../../core/model/rest/token_buckets.ts";

/** Buckets of ten that fill up by one a second. */
function lab(mostKnown?: number) {
  const clock = { now: 0 };
  const rate = { perSecond: 1, most: 10, ...mostKnown !== undefined && { mostKnown } };
  const buckets = tokenBuckets(rate, () => clock.now);
  const empty = (name: string) => {
    for (let taken = 0; taken < 10; taken++) buckets.take(name);
  };
  return { clock, buckets, empty };
}

Deno.test("tokenBuckets() knows a bucket until it is full again, whatever others take meanwhile", () => {
  const { clock, buckets, empty } = lab();
  clock.now = 9_000;
  empty("late");

  for (let second = 1; second <= 10; second++) {
    clock.now += 1_000;
    buckets.take(`other ${second}`);
    assert.equal(buckets.tokensOf("late"), second);
  }
});

Deno.test("tokenBuckets() forgets buckets that were used long ago when there are too many", () => {
  const { buckets, empty } = lab(100);
  empty("old");
  for (let at = 0; at < 100; at++) {
    if (at === 60) empty("recent");
    buckets.take(`other ${at}`);
  }

  assert.equal(buckets.tokensOf("old"), 10);
  assert.equal(buckets.tokensOf("recent"), 0);
});
