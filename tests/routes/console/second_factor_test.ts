import assert from "node:assert/strict";
import { codeAt, stepAt } from "../../../core/accounts/totp.ts";
import type { App } from "../../support/service/app.ts";
import { consoleClient, startConsole } from "../../support/service/console_client.ts";
import type { ApiClient } from "../../support/service/api_client.ts";

/** Turns the second factor of an account on; its browser. */
async function turnOn(app: App, name: string, password: string) {
  const browser = consoleClient(app);
  await browser.signIn(name, password);
  await browser.get("/security");
  const offered = await browser.post("/security/factor");
  const secret = /class="key">([^<]+)</.exec(offered.text)![1]!.replaceAll(" ", "");
  const code = await codeAt(secret, stepAt(app.clock.now));
  assert.equal((await browser.post("/security/factor/confirm", { code })).status, 200);
  return browser;
}

const signIn = async (app: App, name: string, password: string) =>
  (await consoleClient(app).signIn(name, password)).path;

/** DELETE as it arrives from outside, where a client has an address. */
const reset = (app: App, caller: ApiClient, sid: string) =>
  app.http.request(`/2012-04-24/Accounts/${sid}/SecondFactor`, {
    method: "DELETE",
    headers: { Authorization: `Basic ${btoa(`${caller.sid}:${caller.token}`)}` },
  }, { client: "203.0.113.5" });

const audited = async (client: ApiClient) =>
  (await client.get("AuditEntries.json")).json().audit_entries.map((
    { action, target, status, actor_email, from }: Record<string, unknown>,
  ) => [action, target, status, actor_email, from]);

Deno.test("a parent resets a lost second factor by the interface: the lock and all sessions end, and the audit log has it", async () => {
  using app = await startConsole();
  const sub = await app.subAccount(app.root, "dev");
  const browser = await turnOn(app, "dev@example.com", "dev");
  const thief = consoleClient(app, "192.0.2.66");
  await thief.signIn("dev@example.com", "dev");
  for (let n = 0; n < 5; n++) await thief.post("/code", { code: "123456" });
  const shown = await app.root.get(`/2012-04-24/Accounts/${sub.sid}/SecondFactor.json`);
  assert.deepEqual(shown.json(), {
    account_sid: sub.sid,
    status: "on",
    recovery_codes_left: 10,
  });

  assert.equal((await reset(app, app.root, sub.sid)).status, 204);

  assert.match((await browser.get("/security")).path, /sign-in/);
  assert.equal(await signIn(app, "dev@example.com", "dev"), `/console/${sub.sid}`);
  assert.equal((await sub.get("SecondFactor.json")).json().status, "off");
  assert.deepEqual((await audited(sub))[1], [
    "second-factor-reset",
    "",
    204,
    "root@example.com",
    "203.0.113.5",
  ]);
});

Deno.test("an AuthToken resets no second factor of its own account, of a sibling or a parent; only root's own", async () => {
  using app = await startConsole();
  const [sub, sibling] = [
    await app.subAccount(app.root, "dev"),
    await app.subAccount(app.root, "ops"),
  ];
  const developer = await app.subAccount(sub, "junior");
  await turnOn(app, "dev@example.com", "dev");
  await turnOn(app, "root@example.com", "root password");

  for (const caller of [sub, sibling, developer]) {
    for (const { sid } of [sub, app.root]) {
      assert.equal((await reset(app, caller, sid)).status, 403, `${caller.sid} ${sid}`);
    }
  }
  assert.equal(await signIn(app, "dev@example.com", "dev"), "/console/code");
  assert.equal(await signIn(app, "root@example.com", "root password"), "/console/code");

  const { sid } = app.root;
  assert.equal((await reset(app, app.root, sid)).status, 204);
  assert.equal(await signIn(app, "root@example.com", "root password"), `/console/${sid}`);
});

Deno.test("a Developer resets no second factor of an account below it", async () => {
  using app = await startConsole();
  const dev = await app.subAccount(app.root, "dev");
  const below = await app.subAccount(dev, "below");
  await app.root.post(`/2012-04-24/Accounts/${dev.sid}.json`, { Role: "Developer" });

  const refused = await reset(app, dev, below.sid);
  assert.equal(refused.status, 403);
  assert.match(await refused.text(), /Role Developer may not reset second factors/);
});

Deno.test("the page of a sub-account resets its second factor, and its audit log says who did so from where", async () => {
  using app = await startConsole();
  const sub = await app.subAccount(app.root, "dev");
  await turnOn(app, "dev@example.com", "dev");
  const browser = consoleClient(app, "203.0.113.9");
  await browser.signIn("root@example.com", "root password");
  const page = `/${app.root.sid}/Accounts/${sub.sid}`;
  assert.match((await browser.get(page)).text, /On, with 10 recovery codes left/);

  const done = await browser.post(`${page}/second-factor`);
  assert.match(done.text, /second factor is off, and all sessions/);
  assert.equal((await sub.get("SecondFactor.json")).json().status, "off");
  const [entry] = await audited(sub);
  const target = `/${sub.sid}/SecondFactor`;
  assert.deepEqual(entry, ["DELETE", target, 204, "root@example.com", "203.0.113.9"]);

  // Its own factor takes a code there.
  await browser.get(page);
  const own = await browser.post(`/${app.root.sid}/Accounts/${app.root.sid}/second-factor`);
  assert.equal(own.status, 403);
});
