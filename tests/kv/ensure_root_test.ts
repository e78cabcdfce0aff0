import assert from "node:assert/strict";
import { ensureRoot } from "../../core/accounts/ensure_root.ts";
import { sidMaker } from "../../core/base/sid.ts";
import { openStore } from "../../kv/open_store.ts";
import { startKvConnect } from "../support/service/kv_connect.ts";

Deno.test("ensureRoot() gives instances that first start at once the same account", async () => {
  await using endpoint = startKvConnect();
  const now = () => 1;
  const open = () => openStore({ location: endpoint.url, secretKey: "lab", now });
  const stores = [await open(), await open()];
  const deriving = Promise.withResolvers<string>();
  const made = stores.map(({ accounts }, at) => {
    const ports = { accounts, newSid: sidMaker(now), now, deriveToken: () => deriving.promise };
    return ensureRoot({ emailAddress: `${at}@example.com`, password: "secret" }, ports);
  });
  deriving.resolve("token");

  const [here, there] = await Promise.all(made);
  assert.equal(here!.sid, there!.sid);
  for (const { accounts } of stores) {
    assert.deepEqual((await accounts.children("")).map(({ sid }) => sid), [here!.sid]);
  }
  stores.forEach((store) => store.close());
});
