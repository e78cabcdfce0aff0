import assert from "node:assert/strict";
import { withDeadline } from "../../../kv/store/deadline.ts";
import { openDenoKv } from "../../../kv/engines/deno_kv.ts";
import type { KeyValueStore } from "../../../kv/store/key_value_store.ts";

Deno.test("withDeadline() changes nothing about a store that answers", async () => {
  using kv = await openDenoKv(":memory:");
  const bounded = withDeadline(kv, 5_000);
  const result = await bounded.atomic().check({ key: ["a"], versionstamp: null })
    .set(["a"], 1).set(["b"], 2).sum(["n"], 3n).commit();
  assert.ok(result.ok);
  assert.equal((await bounded.get(["a"])).value, 1);
  const listed = await Array.fromAsync(bounded.list<number>({ prefix: [] }), ({ key }) => key[0]);
  assert.deepEqual(listed, ["a", "b", "n"]);
});

Deno.test("withDeadline() gives up on one that does not", async () => {
  const never = () => new Promise(() => {});
  const op = { set: () => op, commit: never };
  const silent = { get: never, atomic: () => op, list: () => ({ next: never }) };
  const bounded = withDeadline(silent as unknown as KeyValueStore, 10);
  const refused = { name: "Fault", fault: "unavailable" };
  await assert.rejects(bounded.get(["a"]), refused);
  await assert.rejects(bounded.atomic().set(["a"], 1).commit(), refused);
  await assert.rejects(bounded.list({ prefix: [] }).next(), refused);
});
