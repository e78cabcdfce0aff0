import assert from "node:assert/strict";
import { createAccount } from "../../core/accounts/create_account.ts";
import { listChildren } from "../../core/accounts/walk.ts";
import { limits } from "../../core/base/limits.ts";
import type { ApiClient } from "../support/service/api_client.ts";
import { startApp } from "../support/service/app.ts";

const list = "/2012-04-24/Accounts";
const own = ({ sid }: ApiClient) => `${list}/${sid}.json`;
const wanted = { EmailAddress: "new@example.com", Password: "new password" };

Deno.test("POST /Accounts makes a sub-account whose credentials work", async () => {
  using app = await startApp();

  const made = (await app.root.post(`${list}.json`, wanted)).json();

  assert.equal(made.friendly_name, "new@example.com");
  assert.equal(made.role, "Administrator");
  assert.equal(made.status, "active");
  const user = { sid: made.sid, user: "new@example.com", token: made.auth_token };
  assert.deepEqual((await app.root.with(user).get(made.uri)).json(), made);
  assert.deepEqual((await app.root.get(`${list}.json`)).json(), [made]);
  assert.deepEqual((await app.root.with(user).get(`${list}.json`)).json(), []);
});

Deno.test("every address that an account advertises answers, in both formats", async () => {
  using app = await startApp();
  const child = await app.subAccount(app.root, "child");

  const { subresource_uris } = (await child.get(own(child))).json();
  assert.ok(Object.keys(subresource_uris).length >= 7);
  assert.ok(subresource_uris.sms_messages.endsWith(`/${child.sid}/SMS/Messages.json`));
  for (const uri of Object.values(subresource_uris).map(String)) {
    assert.equal((await child.get(uri)).status, 200, uri);
    assert.equal((await child.get(uri.replace(/\.json$/, ""))).status, 200, uri);
  }
  const { text } = await child.get(`${list}/${child.sid}`);
  assert.match(text, /<SubresourceUris>.*<SMSMessages>[^<]+\/SMS\/Messages<\/SMSMessages>/);
});

Deno.test("POST /Accounts names every parameter that is wrong", async () => {
  using app = await startApp();

  const cases: [Record<string, string>, RegExp][] = [
    [{ EmailAddress: "" }, /EmailAddress must be an e-mail address( \(in a form|$)/],
    [{ EmailAddress: "no address" }, /EmailAddress must be an e-mail address( \(in a form|$)/],
    [{ Password: "" }, /Password must not be empty$/],
    [{ Password: "x".repeat(129) }, /Password must have at most 128 characters$/],
    [{ Role: "Owner" }, /Role must be one of Administrator, Developer$/],
    [{ Status: "closed" }, /Status must be one of active, suspended$/],
    [{ FriendlyName: "x".repeat(65), Status: "x" }, /FriendlyName .*64.*; Status must be one of/],
  ];
  for (const [changes, message] of cases) {
    const answer = (await app.root.post(`${list}.json`, { ...wanted, ...changes })).json();
    assert.equal(answer.code, 20001);
    assert.match(answer.message, message);
  }
  const nothing = (await app.root.post(`${list}.json`)).json();
  assert.match(nothing.message, /EmailAddress is required; Password is required/);
  assert.deepEqual((await app.root.get(`${list}.json`)).json(), []);
});

Deno.test("POST /Accounts answers 409 when the e-mail address is in use in any case", async () => {
  using app = await startApp();

  for (const EmailAddress of ["root@example.com", "ROOT@Example.com"]) {
    const answer = await app.root.post(`${list}.json`, { ...wanted, EmailAddress });
    assert.equal(answer.status, 409);
    assert.equal(answer.json().code, 20409);
  }
});

Deno.test("an account below the root has a bounded number of sub-accounts, made at once too", async () => {
  using app = await startApp();
  const tenant = await app.subAccount(app.root, "tenant");
  const { insert } = app.ports.accounts;
  const owner = (await app.ports.accounts.get(tenant.sid))!;
  const accounts = {
    ...app.ports.accounts,
    insert: (change: Parameters<typeof insert>[0]) => {
      assert.equal(change.siblings, limits.subAccounts);
      return insert({ ...change, siblings: 3 });
    },
  };
  const made = await Promise.allSettled(
    Array.from(
      { length: 6 },
      (_, n) =>
        createAccount(owner, { emailAddress: `${n}@example.com`, password: "secret" }, {
          ...app.ports,
          accounts,
        }),
    ),
  );
  assert.equal(made.filter(({ status }) => status === "fulfilled").length, 3);
  const [refused] = made.filter((one) => one.status === "rejected");
  assert.equal(
    refused!.reason.message.replace(/^.*?: /, ""),
    `account ${tenant.sid} has 3 sub-accounts, the most it may have`,
  );
  await app.subAccount(app.root, "another tenant");
});

Deno.test("POST /Accounts answers 400 below the last level", async () => {
  using app = await startApp();
  let client = app.root;
  for (let level = 2; level <= limits.accountLevels; level++) {
    client = await app.subAccount(client, `level${level}`);
  }

  const answer = await client.post(`${list}.json`, wanted);

  assert.equal(answer.status, 400);
});

Deno.test("a Developer neither makes accounts nor changes roles", async () => {
  using app = await startApp();
  const developer = await app.subAccount(app.root, "developer");
  assert.equal((await app.root.post(own(developer), { Role: "Developer" })).status, 200);

  for (
    const answer of [
      await developer.post(`${list}.json`, wanted),
      await developer.post(own(developer), { Role: "Administrator" }),
    ]
  ) assert.equal(answer.json().code, 20403);
  assert.equal((await developer.post(own(developer), { FriendlyName: "dev" })).status, 200);
  assert.equal((await developer.get("Clients.json")).status, 200);
});

Deno.test("a new Password is a new AuthToken at once", async () => {
  using app = await startApp();
  const child = await app.subAccount(app.root, "child");

  const { auth_token } = (await child.put(own(child), { Password: "other" })).json();

  assert.notEqual(auth_token, child.token);
  assert.equal((await child.get(own(child))).status, 401);
  assert.equal((await child.with({ token: auth_token }).get(own(child))).status, 200);
});

Deno.test("Status moves between active and suspended from above only", async () => {
  using app = await startApp();
  const child = await app.subAccount(app.root, "child");

  assert.equal((await child.post(own(child), { Status: "suspended" })).json().code, 20403);
  assert.equal((await child.post(own(child), { Status: "active" })).status, 200);
  assert.equal((await app.root.post(own(child), { Status: "suspended" })).status, 200);
  assert.equal((await child.get(own(child))).json().code, 20005);
  assert.equal((await app.root.put(own(child), { Status: "active" })).status, 200);
  assert.equal((await child.get(own(child))).status, 200);
});

Deno.test("a closed account stays closed and can be read from above", async () => {
  using app = await startApp();
  const child = await app.subAccount(app.root, "child");

  assert.equal((await child.post(own(child), { Status: "closed" })).json().status, "closed");

  assert.equal((await child.get(own(child))).json().code, 20005);
  for (const form of [{ Status: "active" }, { Status: "closed" }, { FriendlyName: "x" }]) {
    assert.equal((await app.root.post(own(child), form as Record<string, string>)).status, 400);
  }
  assert.equal((await app.root.get(own(child))).json().status, "closed");
});

Deno.test("the root account stays active and an Administrator", async () => {
  using app = await startApp();

  const forms: Record<string, string>[] = [
    { Status: "suspended" },
    { Status: "closed" },
    { Role: "Developer" },
  ];
  for (const form of forms) {
    assert.equal((await app.root.post(own(app.root), form)).json().code, 20001);
  }
  assert.equal((await app.root.get(own(app.root))).json().status, "active");
});

Deno.test("DELETE of an account answers 405 in all its spellings", async () => {
  using app = await startApp();
  const { sid } = await app.subAccount(app.root, "child");

  for (const path of [`${list}/${sid}`, `${list}.json/${sid}.json`, `${list}.json/${sid}`]) {
    const answer = await app.root.delete(path);
    assert.equal(answer.status, 405);
    assert.equal(answer.headers.get("Allow"), "GET, HEAD, POST, PUT");
  }
});

Deno.test("GET /Accounts pages sub-accounts, newest first, with Link", async () => {
  using app = await startApp();
  const sids: string[] = [];
  for (const name of ["a", "b", "c"]) sids.unshift((await app.subAccount(app.root, name)).sid);

  const first = await app.root.get(`${list}.json?PageSize=2`);
  const next = /<([^>]+)>; rel="next"/.exec(first.headers.get("Link")!)![1]!;
  const second = await app.root.get(next);

  const found = [...first.json(), ...second.json()].map(({ sid }) => sid);
  assert.deepEqual(found, sids);
  assert.doesNotMatch(second.headers.get("Link")!, /rel="next"/);
});

Deno.test("GET /Accounts reads no more sub-accounts than the page shows", async () => {
  using app = await startApp();
  for (let n = 0; n < 12; n++) await app.subAccount(app.root, `child${n}`);
  const { accounts } = app.ports;
  const read = new Set<string>();
  const get = (sid: string) => {
    read.add(sid);
    return accounts.get(sid);
  };

  const { items, total } = await listChildren(app.root.sid, { skip: 5, limit: 3 }, {
    ...accounts,
    get,
  });

  const all = await accounts.children(app.root.sid);
  assert.deepEqual(items, all.slice(5, 8));
  assert.deepEqual([...read], all.slice(5, 8).map(({ sid }) => sid));
  assert.equal(total, 12);
});
