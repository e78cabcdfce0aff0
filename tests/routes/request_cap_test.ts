import assert from "node:assert/strict";
import { startApp } from "../support/service/app.ts";

/** The service with one request a second for each account, and so ten at once. */
async function cappedApp() {
  using ordinary = await startApp();
  const settings = {
    ...ordinary.ports.settings,
    requestRates: { reads: 0, writes: 0, requests: 1 },
  };
  return await startApp({ ports: { settings } });
}

Deno.test("an account that asks too much gets 429 with Retry-After, and is answered after it", async () => {
  using app = await cappedApp();
  const other = await app.subAccount(app.root, "other");
  for (let at = 0; at < 10; at++) assert.equal((await app.root.get("Calls.json")).status, 200);

  const refused = await app.root.get("Calls.json");

  assert.equal(refused.status, 429);
  assert.equal(refused.json().code, 20429);
  assert.equal(refused.headers.get("Retry-After"), "1");
  assert.match((await app.root.get("Calls")).text, /<Code>20429<\/Code>/);
  assert.equal((await other.get("Calls.json")).status, 200);
  app.clock.now += 1_000;
  assert.equal((await app.root.get("Calls.json")).status, 200);
  assert.equal((await app.root.get("Calls.json")).status, 429);
});

Deno.test("requests with wrong credentials take nothing from an account's share", async () => {
  using app = await cappedApp();
  const stranger = app.root.with({ token: "wrong" });

  for (let at = 0; at < 30; at++) assert.equal((await stranger.get("Calls.json")).status, 401);

  assert.equal((await app.root.get("Calls.json")).status, 200);
});

Deno.test("a sub-account has no requests beside those of its tenant", async () => {
  using app = await cappedApp();
  const tenant = await app.subAccount(app.root, "tenant");
  const subs = await Promise.all([1, 2].map((n) => app.subAccount(tenant, `sub${n}`)));
  const all = [tenant, ...subs];
  for (let at = 0; at < 10; at++) {
    assert.equal((await all[at % 3]!.get("Calls.json")).status, 200);
  }

  for (const one of all) assert.equal((await one.get("Calls.json")).status, 429);
  assert.equal((await app.root.get("Calls.json")).status, 200);
});
