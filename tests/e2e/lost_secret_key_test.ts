import assert from "node:assert/strict";
import { startSystem } from "../support/process/system.ts";
import { startKvConnect } from "../support/service/kv_connect.ts";

Deno.test("a service makes no new secret_key for a store at KV_URL, and names file and cure", async () => {
  await using endpoint = startKvConnect();
  const directory = await Deno.makeTempDir();
  const key = `${directory}/secret_key`;
  const env = { KV_URL: endpoint.url, DENO_KV_ACCESS_TOKEN: "test" };
  try {
    {
      await using first = await startSystem({ directory, env });
      assert.equal(await first.stop(), 0);
    }
    const kept = await Deno.readTextFile(key);
    await Deno.remove(key);
    await assert.rejects(startSystem({ directory, env }), ({ message }: Error) => {
      assert.ok(message.includes(`Cannot find ${key}, which sealed passwords in ${endpoint.url}`));
      assert.ok(message.includes("put that file back, or set SECRET_KEY"));
      return true;
    });
    await assert.rejects(Deno.stat(key), Deno.errors.NotFound);

    await Deno.writeTextFile(key, kept);
    await using again = await startSystem({ directory, env });
    assert.equal((await again.get("Clients.json")).length, 1);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
