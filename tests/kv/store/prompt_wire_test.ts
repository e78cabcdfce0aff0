import assert from "node:assert/strict";
import { promptWire } from "../../../kv/store/prompt_wire.ts";
import { eventually } from "../../support/process/eventually.ts";
import type { KeyValueStore } from "../../../kv/store/key_value_store.ts";

/** A store that records its reads and answers them when the test orders it. */
function heldStore() {
  const reads: PromiseWithResolvers<void>[] = [];
  const get = () => {
    const read = Promise.withResolvers<void>();
    reads.push(read);
    return read.promise;
  };
  return { reads, kv: { get } as unknown as KeyValueStore };
}

Deno.test("promptWire() sends a small read ahead of a commit, one at a time", async () => {
  const { reads, kv } = heldStore();
  const wire = promptWire(kv);
  await Promise.all([wire.beforeCommit(), wire.beforeCommit()]);
  assert.equal(reads.length, 1);

  reads[0]!.resolve();
  await eventually("the next commit has one of its own", async () => {
    await wire.beforeCommit();
    return reads.length === 2;
  });
  reads[1]!.reject(new Error("the store is out of reach"));
});

Deno.test("promptWire() sends small reads while a request waits, and none after it", async () => {
  const { reads, kv } = heldStore();
  const wire = promptWire(kv);
  const request = Promise.withResolvers<void>();
  wire.during(request.promise);
  await eventually("a small read is sent", () => reads.length === 1);
  reads[0]!.resolve();
  await eventually("and another one", () => reads.length === 2);
  reads[1]!.resolve();

  request.reject(new Error("the store is out of reach"));
  await request.promise.catch(() => {});
}); // A timer that went on would be found as a leak.
