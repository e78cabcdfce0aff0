import assert from "node:assert/strict";
import { routes } from "../../routes/mod.ts";
import { startApp } from "../support/service/app.ts";

const basic = (text: string) => `Basic ${new TextEncoder().encode(text).toBase64()}`;

Deno.test("authenticate() accepts the Sid and the e-mail address in any case", async () => {
  using app = await startApp();
  const { root } = app;

  for (const user of [root.sid, root.sid.toLowerCase(), "root@example.com", "Root@EXAMPLE.com"]) {
    assert.equal((await root.with({ user }).get("Clients.json")).status, 200, user);
  }
});

Deno.test("authenticate() answers 401 when credentials are missing or wrong", async () => {
  using app = await startApp();
  const { root } = app;
  const other = await app.subAccount(root, "other");

  const headers = [
    "",
    "Bearer abc",
    "Basic ",
    "Basic ~~~",
    "Basic Zg",
    basic(""),
    basic(":"),
    basic(root.sid),
    basic(`${root.sid}:`),
    basic(`${root.sid}:${other.token}`),
    basic(`${root.sid}:${root.token}x`),
    basic(`${root.sid}:${root.token.slice(1)}`),
    basic(`root@example.com:root password`),
    basic(`nobody@example.com:${root.token}`),
    basic(`AC${"0".repeat(32)}:${root.token}`),
    basic(`${root.sid}:${root.token.toUpperCase()}!`),
  ];
  for (const Authorization of headers) {
    const answer = await root.get("Clients.json", { Authorization });
    assert.equal(answer.status, 401, Authorization);
    assert.equal(answer.json().code, 20003);
    assert.match(answer.headers.get("WWW-Authenticate") ?? "", /^Basic realm="/);
  }
});

Deno.test("authenticate() answers an unknown user exactly as it answers a wrong token", async () => {
  using app = await startApp();
  const { root } = app;

  const wrong = await root.with({ token: "f".repeat(32) }).get("Clients.json");
  const unknown = await root.with({ user: "nobody@example.com" }).get("Clients.json");

  assert.equal(wrong.text, unknown.text);
});

Deno.test("authenticate() does the same for an unknown user as for a wrong token", async () => {
  using lab = await startApp();
  const { accounts } = lab.ports;
  let done: string[] = [];
  const noting = {
    ...accounts,
    get: (sid: string) => (done.push("get"), accounts.get(sid)),
    byEmail: async (email: string) => {
      const account = await accounts.byEmail(email);
      // The second read of an address that an account has.
      done.push("byEmail", ...account === null ? [] : ["get"]);
      return account;
    },
    decoy: () => (done.push("open"), accounts.decoy()),
  };
  const app = routes({ ...lab.ports, accounts: noting });
  const workFor = async (user: string) => {
    done = [];
    const headers = { Authorization: `Basic ${btoa(`${user}:wrong`)}` };
    assert.equal((await app.request("/2012-04-24/Accounts", { headers })).status, 401);
    return done;
  };

  // What `get` finds it opens: an unknown user's decoy takes the place of that.
  assert.deepEqual(await workFor(lab.root.sid), ["get"]);
  assert.deepEqual(await workFor("AC" + "a".repeat(32)), ["get", "open"]);
  assert.deepEqual(await workFor("root@example.com"), ["byEmail", "get"]);
  assert.deepEqual(await workFor("nobody@example.com"), ["byEmail", "open", "get"]);
});

Deno.test("authenticate() answers 403/20005 when the account or one above is not active", async () => {
  using app = await startApp();
  const parent = await app.subAccount(app.root, "parent");
  const child = await app.subAccount(parent, "child");

  for (const Status of ["suspended", "closed"]) {
    await app.root.post(`/2012-04-24/Accounts/${parent.sid}`, { Status });
    for (const client of [parent, child]) {
      const answer = await client.get("Clients.json");
      assert.equal(answer.status, 403);
      assert.equal(answer.json().code, 20005);
    }
  }
});

Deno.test("an account that is not active can be read but not changed from above", async () => {
  using app = await startApp();
  const parent = await app.subAccount(app.root, "parent");
  const child = await app.subAccount(parent, "child");
  await app.root.post(`/2012-04-24/Accounts/${parent.sid}`, { Status: "suspended" });

  const above = app.root.with({ sid: child.sid });
  assert.equal((await above.get("Clients.json")).status, 200);
  const refused = await above.post("Clients.json", { Login: "alice", Password: "secret" });
  assert.equal(refused.json().code, 20005);

  await app.root.post(`/2012-04-24/Accounts/${parent.sid}`, { Status: "active" });
  assert.equal(
    (await child.post("Clients.json", { Login: "alice", Password: "secret" })).status,
    200,
  );
});
