import assert from "node:assert/strict";
import { readLogged, withCommitLog } from "../../../kv/store/commit_log.ts";
import { keys } from "../../../kv/store/keys.ts";
import { openDenoKv } from "../../../kv/engines/deno_kv.ts";

Deno.test("a log entry has the bytes of its own keys and values alone, not of the buffers they are views of", async () => {
  using kv = await openDenoKv(":memory:");
  await kv.set(keys.backup, { id: "now" });
  const [kept, gone] = ["1", "2"].map((digit) => keys.record(1n, "CA" + digit.repeat(32)));
  const value = new Uint8Array(10_000).fill(7).subarray(0, 3);

  await withCommitLog(kv).atomic().set(kept!, value).delete(gone!).commit();

  const [entry, ...others] = await Array.fromAsync(
    kv.list<Uint8Array>({ prefix: keys.log("now") }),
  );
  assert.equal(others.length, 0);
  assert.ok(entry!.value.length < 300, `${entry!.value.length} bytes`);
  assert.deepEqual(readLogged(entry!.value), [
    { does: "set", key: kept, value: new Uint8Array([7, 7, 7]) },
    { does: "delete", key: gone },
  ]);
});
