import assert from "node:assert/strict";
import { startApp } from "../support/service/app.ts";
import { xml } from "../support/service/hand_companion.ts";

Deno.test("requests to customers' servers take the look-ups of their tenant, at every level", async () => {
  using app = await startApp();
  const tenant = await app.subAccount(app.root, "tenant");
  const below = await app.subAccount(tenant, "below");
  const seen: (string | undefined)[] = [];
  const { fetch } = app.ports;
  app.ports.fetch = (request, signer) => {
    seen.push(request.tenant);
    return fetch(request, signer);
  };
  app.answers = () => xml("<Response><Hangup/></Response>");

  for (const account of [tenant, below]) {
    const url = "https://app.test/status";
    const tested = await account.post("Webhooks/Tests.json", { Url: url });
    assert.equal(tested.status, 200);
    await account.post("Calls.json", {
      From: "+15005550006",
      To: "client:nobody",
      Url: url,
      StatusCallback: url,
    });
  }

  assert.equal(seen.length, 2);
  await app.runJobs();
  assert.ok(seen.length > 2, "callbacks too");
  assert.deepEqual(new Set(seen), new Set([tenant.sid]));
});
