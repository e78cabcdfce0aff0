import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type App, startApp } from "../support/service/app.ts";
import type { ApiClient } from "../support/service/api_client.ts";

/** Holds what a port does until `release`; `begun` counts what it has begun. */
function held() {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const state = { begun: 0, release, wait: () => (state.begun++, promise) };
  return state;
}

/** Waits until so many have begun, and none after them. */
async function begins(state: { begun: number }, count: number): Promise<void> {
  while (state.begun < count) await nextTurn();
  for (let turn = 0; turn < 100; turn++) await nextTurn();
  assert.equal(state.begun, count);
}

async function twoTenants(app: App): Promise<[ApiClient[], ApiClient]> {
  const one = await app.subAccount(app.root, "one");
  const subs = await Promise.all([1, 2, 3].map((n) => app.subAccount(one, `sub${n}`)));
  return [[one, ...subs], await app.subAccount(app.root, "other")];
}

Deno.test("eight tests of markup of a tenant run at once, by its sub-accounts too", async () => {
  using app = await startApp();
  const [accounts, other] = await twoTenants(app);
  const server = held();
  app.answers = () => new Response("<Response/>", { headers: { "Content-Type": "text/xml" } });
  const { fetch } = app.ports;
  app.ports.fetch = async (...wanted) => {
    await server.wait();
    return await fetch(...wanted);
  };
  const test = (client: ApiClient) =>
    client.post("Webhooks/Tests.json", { Url: "http://customer.test/" });
  const all = Array.from({ length: 24 }, (_, n) => test(accounts[n % accounts.length]!));
  await begins(server, 8);
  const others = test(other);
  await begins(server, 9);
  server.release();
  for (const { status } of await Promise.all([...all, others])) assert.equal(status, 200);
});

Deno.test("a tenant's passwords are derived one at a time, and another's at once", async () => {
  const deriving = held();
  using app = await startApp();
  const [[one, ...subs], other] = await twoTenants(app);
  const { deriveToken } = app.ports;
  app.ports.deriveToken = async (...wanted) => {
    await deriving.wait();
    return await deriveToken(...wanted);
  };
  const make = (client: ApiClient, n: number) =>
    client.post("/2012-04-24/Accounts.json", {
      EmailAddress: `made${n}@example.com`,
      Password: "a password",
    });
  const change = (client: ApiClient) =>
    client.post(`/2012-04-24/Accounts/${client.sid}.json`, { Password: "another" });
  const all = [...Array.from({ length: 5 }, (_, n) => make(one!, n)), ...subs.map(change)];
  await begins(deriving, 1);
  const others = make(other, 10);
  await begins(deriving, 2);
  deriving.release();
  for (const { status } of await Promise.all([...all, others])) assert.equal(status, 200);
});
