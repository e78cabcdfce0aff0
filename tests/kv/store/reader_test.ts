import assert from "node:assert/strict";
import { mergedReader } from "../../../kv/store/reader.ts";
import { openDenoKv } from "../../../kv/engines/deno_kv.ts";

Deno.test("mergedReader() gives each the entry of its own key when many ask at once", async () => {
  using kv = await openDenoKv(":memory:");
  const numbers = Array.from({ length: 25 }, (_, number) => number);
  for (const number of numbers) await kv.set([number], number);
  let asked = 0;
  const read = mergedReader({
    getMany: (keys) => {
      asked++;
      return kv.getMany(keys);
    },
  });

  const entries = await Promise.all(numbers.map((number) => read<number>([number])));
  const missing = await read([25]);

  assert.deepEqual(entries.map(({ value }) => value), numbers);
  assert.equal(missing.versionstamp, null);
  assert.equal(asked, 4); // 10, 10 and 5; then the one that is missing.
});

Deno.test("mergedReader() fails each read of a group when the store does", async () => {
  const read = mergedReader({ getMany: () => Promise.reject(new Error("closed")) });

  const results = await Promise.allSettled([read(["a"]), read(["b"])]);

  assert.deepEqual(results.map(({ status }) => status), ["rejected", "rejected"]);
});
