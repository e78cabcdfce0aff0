import assert from "node:assert/strict";
import { limits } from "../../core/base/limits.ts";
import { refusalLimits } from "../../core/model/rest/limits.ts";
import { routes } from "../../routes/mod.ts";
import { eventually } from "../support/process/eventually.ts";
import { startApp } from "../support/service/app.ts";

/** The service behind a server that tells the client's address; `reads` counts those of accounts. */
async function cappedApp({ afterRead = Promise.resolve() } = {}) {
  const app = await startApp();
  let reads = 0;
  const { accounts } = app.ports;
  const get = async (sid: string) => {
    reads++;
    const account = await accounts.get(sid);
    await afterRead;
    return account;
  };
  const http = routes({ ...app.ports, accounts: { ...accounts, get } });
  const ask = async (token: string, { user = app.root.sid, client = "192.0.2.1" } = {}) => {
    const headers = { Authorization: `Basic ${btoa(`${user}:${token}`)}` };
    return await http.request("/2012-04-24/Accounts.json", { headers }, { client });
  };
  return { app, ask, token: (await accounts.get(app.root.sid))!.authToken, reads: () => reads };
}

Deno.test("repeated wrong credentials get 429 with Retry-After, before the store is read", async () => {
  const { app, ask, reads } = await cappedApp();
  using _ = app;
  for (let at = 0; at < refusalLimits.ofUser; at++) assert.equal((await ask("wrong")).status, 401);
  const before = reads();

  const refused = await ask("wrong");

  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get("Retry-After"), "1");
  assert.equal((await refused.json()).code, 20429);
  assert.equal(reads(), before);
  app.clock.now += 1_000;
  assert.equal((await ask("wrong")).status, 401);
});

Deno.test("an unknown user is slowed as one with a wrong token is", async () => {
  const { app, ask } = await cappedApp();
  using _ = app;
  const statuses = async (user: string) => {
    const found: number[] = [];
    for (let at = 0; at < 30; at++) found.push((await ask("wrong", { user })).status);
    return found;
  };

  assert.deepEqual(await statuses(app.root.sid), await statuses("AC" + "a".repeat(32)));
});

Deno.test("wrong credentials from a customer's address do not lock the customer out", async () => {
  const { app, ask, token } = await cappedApp();
  using _ = app;
  assert.equal((await ask(token)).status, 200);
  app.clock.now += 3_600_000; // The account is not in memory any more.
  for (let at = 0; at < 200; at++) await ask("wrong");
  for (let at = 0; at < 200; at++) {
    await ask("wrong", { user: `AC${String(at).padStart(32, "0")}` });
  }

  assert.equal((await ask("wrong")).status, 429);
  assert.equal((await ask(token)).status, 200);
  assert.equal((await ask("wrong", { client: "192.0.2.2" })).status, 401);
});

Deno.test("right credentials pass that follow wrong ones, also when the cache has forgotten", async () => {
  const gate = Promise.withResolvers<void>();
  const { app, ask, token } = await cappedApp({ afterRead: gate.promise });
  using _ = app;
  const wrong = Array.from({ length: refusalLimits.ofUser }, () => ask("wrong"));
  await eventually(
    "the account is read",
    () => app.ports.accounts.recent(app.root.sid) !== undefined,
  );
  app.clock.now += 10; // So that the account is forgotten before the wrong ones may be sent again.
  gate.resolve();
  await Promise.all(wrong);
  assert.equal((await ask(token)).status, 200); // From the account that the wrong ones have read.

  app.clock.now += limits.accountRecentMs - 10;

  assert.equal((await ask("wrong")).status, 429);
  assert.equal((await ask(token)).status, 200);
});

Deno.test("addresses of one IPv6 network are slowed together", async () => {
  const { app, ask } = await cappedApp();
  using _ = app;
  for (let at = 0; at < refusalLimits.ofUser; at++) {
    assert.equal((await ask("wrong", { client: `2001:db8::${at + 1}` })).status, 401);
  }

  assert.equal((await ask("wrong", { client: "2001:db8::ff" })).status, 429);
  assert.equal((await ask("wrong", { client: "2001:db8:0:1::1" })).status, 401);
});
