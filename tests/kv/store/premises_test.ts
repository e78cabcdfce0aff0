import assert from "node:assert/strict";
import { type Batch, emptyBatch } from "../../../kv/store/batch.ts";
import { committer } from "../../../kv/store/commit.ts";
import { openDenoKv } from "../../../kv/engines/deno_kv.ts";

const setting = (name: string, holds: boolean): Batch => {
  const batch = emptyBatch();
  batch.sets.push({ key: [name], value: 1 });
  batch.premises.push(() => holds);
  return batch;
};

Deno.test("commit() refuses a batch whose premise is false, and commits the others beside it", async () => {
  using kv = await openDenoKv(":memory:");
  const { commit } = committer(kv, { checks: 100 });

  const made = await Promise.all([
    commit(setting("a", true)),
    commit(setting("b", false)),
    commit(setting("c", true)),
  ]);

  assert.deepEqual(made.map((one) => one !== null), [true, false, true]);
  const entries = await Array.fromAsync(kv.list({ prefix: [] }));
  assert.deepEqual(entries.map(({ key }) => key), [["a"], ["c"]]);
});
