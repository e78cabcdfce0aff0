import assert from "node:assert/strict";
import twilio from "twilio";
import { withKeyring } from "../../core/accounts/keyring.ts";
import { limits } from "../../core/base/limits.ts";
import { refusalLimits } from "../../core/model/rest/limits.ts";
import { openStore } from "../../kv/open_store.ts";
import { metrics } from "../../routes/metrics.ts";
import { routes } from "../../routes/mod.ts";
import type { ApiClient, Form } from "../support/service/api_client.ts";
import { type App, startApp } from "../support/service/app.ts";
import { startKvConnect } from "../support/service/kv_connect.ts";

/** A client with the credentials of a new key. */
async function withKey(maker: ApiClient, form: Form = {}): Promise<ApiClient> {
  const made = await maker.post("Keys.json", form);
  assert.equal(made.status, 200, made.text);
  const { sid, secret } = made.json();
  return maker.with({ user: sid, token: secret });
}

const call: Form = { From: "+15550001", To: "client:bob", Url: "https://app.test/voice" };
const allStored = async (app: App) =>
  JSON.stringify((await app.ports.records.keys.list(app.root.sid, first)).items);
const first = { where: [], skip: 0, limit: 10 };

Deno.test("POST /Keys shows the secret once, and the store has its hash alone", async () => {
  using app = await startApp();

  const made = (await app.root.post("Keys.json", { FriendlyName: "ci" })).json();
  const read = (await app.root.get(`Keys/${made.sid}.json`)).json();

  const { secret, ...shown } = made;
  assert.match(made.sid, /^SK[0-9a-f]{32}$/);
  assert.match(secret, /^sbk_[A-Za-z0-9_-]{32}$/);
  assert.deepEqual(read, shown);
  assert.deepEqual([read.friendly_name, read.role, read.date_last_used], ["ci", "Developer", null]);
  assert.ok(!(await allStored(app)).includes(secret));
  assert.equal((await app.root.get("Keys.json")).json().length, 1);
});

Deno.test("a retry with an Idempotency-Key shows the same secret, in both versions", async () => {
  using app = await startApp();
  for (const path of ["Keys.json", `/2010-04-01/Accounts/${app.root.sid}/Keys.json`]) {
    const send = () =>
      app.root.request("POST", path, {
        headers: { "Idempotency-Key": path },
        body: new URLSearchParams({ FriendlyName: "ci" }),
      });
    const made = await send();

    const again = await send();

    assert.equal(again.text, made.text);
    const { sid, secret } = again.json();
    assert.equal((await app.root.with({ user: sid, token: secret }).get("Calls.json")).status, 200);
  }
});

Deno.test("a key authenticates for its account and the accounts below, in both versions", async () => {
  using app = await startApp();
  const child = await app.subAccount(app.root, "child");
  const other = await app.subAccount(app.root, "other");
  const key = await withKey(child);

  assert.equal((await key.post("Calls.json", call)).status, 200);
  assert.equal((await key.get(`/2010-04-01/Accounts/${child.sid}/Calls.json`)).status, 200);
  for (const sid of [app.root.sid, other.sid]) {
    assert.equal((await key.with({ sid }).get("Calls.json")).status, 403);
  }
  const ofRoot = await withKey(app.root);
  assert.equal((await ofRoot.with({ sid: child.sid }).get("Calls.json")).status, 200);
});

Deno.test("wrong secrets, other keys' secrets and AuthTokens are refused for a key", async () => {
  using app = await startApp();
  const [one, two] = [await withKey(app.root), await withKey(app.root)];

  for (
    const wrong of [
      one.with({ token: two.token }),
      one.with({ token: app.root.token }),
      one.with({ token: "" }),
      one.with({ user: app.root.sid }),
      one.with({ user: `SK${"0".repeat(32)}` }),
    ]
  ) {
    assert.equal((await wrong.get("Calls.json")).status, 401);
  }
});

Deno.test("a deleted key is refused at once, and one of a closed account too", async () => {
  using app = await startApp();
  const child = await app.subAccount(app.root, "child");
  for (const version of ["2012-04-24", "2010-04-01"]) {
    const key = await withKey(child);
    assert.equal((await key.get("Calls.json")).status, 200);
    const path = `/${version}/Accounts/${child.sid}/Keys/${key.user}.json`;
    assert.equal((await child.delete(path)).status, 204);
    assert.equal((await key.get("Calls.json")).status, 401);
  }
  const key = await withKey(child);
  assert.equal((await key.get("Calls.json")).status, 200);

  await app.root.post(`/2012-04-24/Accounts/${child.sid}.json`, { Status: "closed" });

  assert.equal((await key.get("Calls.json")).status, 403);
  app.clock.now += 3_600_000;
  await app.runJobs();
  assert.equal((await key.get("Calls.json")).status, 401);
});

Deno.test("a key that another instance deleted is refused after a second", async () => {
  await using store = startKvConnect();
  using app = await startApp({ shared: { location: store.url, instance: 0 } });
  using other = await startApp({ shared: { location: store.url, instance: 1 } });
  const key = await withKey(app.root);
  assert.equal((await key.get("Calls.json")).status, 200);

  await other.root.delete(`Keys/${key.user}.json`);
  app.clock.now += limits.accountRecentMs;

  assert.equal((await key.get("Calls.json")).status, 401);
});

Deno.test("a key that is read while it is deleted is not used from memory", async () => {
  using app = await startApp();
  const { keys } = app.ports.records;
  const { accounts, now, log } = app.ports;
  const read = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const slow: typeof keys = {
    ...keys,
    async holder(field, value) {
      const key = await keys.holder(field, value);
      read.resolve();
      await goOn.promise;
      return key;
    },
  };
  const records = { ...app.ports.records, keys: slow };
  const ports = withKeyring({ ...app.ports, records, accounts, now, log });
  const { user, token } = await withKey(app.root);

  const before = ports.keyring.callerOf(user, token);
  await read.promise;
  await ports.records.keys.remove(app.root.sid, user);
  goOn.resolve();

  assert.notEqual(await before, null); // It was asked for before.
  assert.equal(await ports.keyring.callerOf(user, token), null);
});

Deno.test("wrong secrets of keys wait as wrong AuthTokens do, before the store is read", async () => {
  using app = await startApp();
  const { keys } = app.ports.records;
  let reads = 0;
  const counted: typeof keys = { ...keys, holder: (...args) => (reads++, keys.holder(...args)) };
  const ports = withKeyring({ ...app.ports, records: { ...app.ports.records, keys: counted } });
  const http = routes(ports);
  const { user, token } = await withKey(app.root);
  const ask = (secret: string) =>
    http.request(`/2012-04-24/Accounts/${app.root.sid}/Calls.json`, {
      headers: { Authorization: `Basic ${btoa(`${user}:${secret}`)}` },
    }, { client: "192.0.2.1" });
  assert.equal((await ask(token)).status, 200);
  app.clock.now += limits.accountRecentMs;
  for (let at = 0; at < refusalLimits.ofUser; at++) assert.equal((await ask("no")).status, 401);
  reads = 0;

  const refused = await ask("no");

  assert.deepEqual([refused.status, refused.headers.get("Retry-After")], [429, "1"]);
  assert.equal(reads, 0);
  assert.equal((await ask(token)).status, 200); // It was right before.
});

Deno.test("a key that is refused for the status of its account notes no use", async () => {
  using app = await startApp();
  const child = await app.subAccount(app.root, "child");
  const key = await withKey(child);
  await app.root.post(`/2012-04-24/Accounts/${child.sid}.json`, { Status: "suspended" });

  assert.equal((await key.get("Calls.json")).status, 403);

  const { date_last_used } =
    (await app.root.get(`/2012-04-24/Accounts/${child.sid}/Keys/${key.user}.json`)).json();
  assert.equal(date_last_used, null);
});

Deno.test("the store has no secret of a key that an Idempotency-Key could show again", async () => {
  const location = await Deno.makeTempFile();
  const store = await openStore({ location, secretKey: "test", now: Date.now });
  using app = await startApp({ opened: store });
  const { secret } = (await app.root.request("POST", "Keys.json", {
    headers: { "Idempotency-Key": "one" },
  })).json();
  await app.root.post("Keys.json");

  const kept = await app.ports.records.idempotencyKeys.list(app.root.sid, first);

  assert.equal(kept.total, 1);
  for (const name of [location, `${location}-wal`]) {
    const bytes = await Deno.readFile(name).catch(() => new Uint8Array());
    assert.ok(!new TextDecoder("latin1").decode(bytes).includes(secret), name);
  }
});

Deno.test("a Developer key of an Administrator can do no more than a Developer", async () => {
  using app = await startApp();
  const child = await app.subAccount(app.root, "child");
  const key = await withKey(app.root);
  const accounts = "/2012-04-24/Accounts";
  const gateway = { UserName: "t", Password: "secret", Proxy: "sip.carrier.test" };
  const refused: [method: string, path: string, form?: Form][] = [
    ["GET", `${accounts}.json`],
    ["POST", `${accounts}.json`, { EmailAddress: "x@example.com", Password: "secret" }],
    ["POST", `${accounts}/${app.root.sid}.json`, { FriendlyName: "mine" }],
    ["PUT", `${accounts}/${child.sid}.json`, { Role: "Developer" }],
    ["GET", "Keys.json"],
    ["POST", "Keys.json", {}],
    ["DELETE", `Keys/${key.user}.json`],
    ["GET", `Keys/${key.user}.json`],
    ["POST", `${accounts}/${child.sid}/Keys.json`, {}],
    ["POST", `/2010-04-01/Accounts/${app.root.sid}/Keys.json`, {}],
    ["GET", `/2010-04-01/Accounts/${app.root.sid}/SigningKeys.json`],
    ["POST", "AuthTokens/Secondary.json"],
    ["POST", `/2010-04-01/Accounts/${app.root.sid}/AuthTokens/Promote.json`],
    ["POST", "Management/Gateways.json", gateway],
    ["POST", "Erasures.json", { Subject: "+14155550100" }],
    ["POST", `${accounts}/${child.sid}/Erasures.json`, { Subject: "+14155550100" }],
    ["GET", "Supervisor/livecalls.json"],
    ["GET", `${accounts}/${app.root.sid}.json/Keys.json`],
    ["GET", `${accounts}/root@example.com/Keys.json`],
    ["GET", "/2010-04-01/Accounts.json"],
    ["GET", "/2010-04-01/Accounts"],
    ["POST", "/2010-04-01/Accounts.json", { FriendlyName: "mine" }],
    ["POST", `/2010-04-01/Accounts/${child.sid}.json`, { FriendlyName: "mine" }],
  ];
  for (const [method, path, form] of refused) {
    const body = form && { body: new URLSearchParams(form as Record<string, string>) };
    const answer = await key.request(method, path, body);
    assert.equal(answer.status, 403, `${method} ${path}: ${answer.text}`);
  }
  for (const version of ["2012-04-24", "2010-04-01"]) {
    for (const { sid, token } of [app.root, child]) {
      const own = await key.get(`/${version}/Accounts/${sid}.json`);
      assert.deepEqual([own.status, own.json().auth_token], [200, ""]);
      const inXml = await key.get(`/${version}/Accounts/${sid}`);
      assert.equal(inXml.status, 200);
      assert.ok(!inXml.text.includes(token));
    }
  }
  const below = await key.get(`${accounts}/${app.root.sid}/Accounts.json`);
  assert.equal(below.status, 200);
  assert.ok(below.text.includes(child.sid) && !below.text.includes(child.token));
  const byEmail = await key.get(`${accounts}/child@example.com.json`);
  assert.deepEqual([byEmail.status, byEmail.json().auth_token], [200, ""]);
  assert.equal((await key.post("Applications.json", { FriendlyName: "ivr" })).status, 200);
});

Deno.test("webhooks that a Developer key causes are signed with the AuthToken", async () => {
  using app = await startApp();
  const key = await withKey(app.root);
  app.answers = () => new Response("Hello", { headers: { "Content-Type": "text/plain" } });

  const tried = await key.post("Webhooks/Tests.json", { Url: "https://app.test/voice" });

  assert.equal(tried.status, 200, tried.text);
  const { url, headers } = app.fetched[0]!;
  const body = Object.fromEntries(new URLSearchParams(await app.fetched[0]!.text()));
  const signature = headers.get("X-Twilio-Signature")!;
  assert.ok(twilio.validateRequest(app.root.token, signature, url, body));
});

Deno.test("an Administrator key can do what the AuthToken can", async () => {
  using app = await startApp();
  const key = await withKey(app.root, { Role: "Administrator" });

  await withKey(key, { Role: "Administrator" });
  const child = { EmailAddress: "x@example.com", Password: "secret" };
  assert.equal((await key.post("/2012-04-24/Accounts.json", child)).status, 200);
  assert.equal((await key.get("Supervisor/livecalls.json")).status, 200);
});

Deno.test("a Developer account manages no credentials; its parent makes keys for it", async () => {
  using app = await startApp();
  const child = await app.subAccount(app.root, "child");
  await app.root.post(`/2012-04-24/Accounts/${child.sid}.json`, { Role: "Developer" });

  for (const version of ["2012-04-24", "2010-04-01"]) {
    const own = `/${version}/Accounts/${child.sid}`;
    for (const path of ["Keys.json", "AuthTokens/Secondary.json", "AuthTokens/Promote.json"]) {
      const refused = await child.post(`${own}/${path}`);
      assert.equal(refused.status, 403, path);
      assert.match(refused.json().message, /Role Developer may not manage keys and AuthTokens/);
    }
  }
  const parent = app.root.with({ sid: child.sid });
  const higher = await parent.post("Keys.json", { Role: "Administrator" });
  assert.equal(higher.status, 403);
  assert.match(higher.json().message, /Role of a key cannot be higher/);
  assert.equal((await (await withKey(parent)).get("Calls.json")).status, 200);
});

Deno.test("a key loses a permission with its account", async () => {
  using app = await startApp();
  const child = await app.subAccount(app.root, "child");
  const key = await withKey(child, { Role: "Administrator" });
  assert.equal((await key.get("Keys.json")).status, 200);

  await app.root.post(`/2012-04-24/Accounts/${child.sid}.json`, { Role: "Developer" });

  assert.equal((await key.get("Keys.json")).status, 403);
});

Deno.test("keys of other accounts are not found", async () => {
  using app = await startApp();
  const [one, two] = [await app.subAccount(app.root, "one"), await app.subAccount(app.root, "two")];
  const key = await withKey(one);

  assert.equal((await two.get(`Keys/${key.user}.json`)).status, 404);
  assert.equal((await two.delete(`Keys/${key.user}.json`)).status, 404);
});

Deno.test("the latest use of a key is its hour, written once in it", async () => {
  using app = await startApp();
  const key = await withKey(app.root);
  app.clock.now += 90 * 60_000;
  let writes = 0;
  const { keys } = app.ports.records;
  const counted: typeof keys = { ...keys, update: (...args) => (writes++, keys.update(...args)) };
  const ports = withKeyring({ ...app.ports, records: { ...app.ports.records, keys: counted } });
  const http = routes(ports);
  const ask = async () => {
    const headers = { Authorization: `Basic ${btoa(`${key.user}:${key.token}`)}` };
    const path = `/2012-04-24/Accounts/${app.root.sid}/Calls.json`;
    assert.equal((await http.request(path, { headers })).status, 200);
  };

  for (let n = 0; n < 5; n++) {
    await Promise.all([ask(), ask(), ask()]);
    app.clock.now += 5_000;
  }

  const { date_last_used } = (await app.root.get(`Keys/${key.user}.json`)).json();
  assert.equal(date_last_used, "Wed, 31 Jan 2024 13:00:00 +0000");
  app.clock.now += 3_600_000;
  await ask();
  assert.equal(writes, 2);
});

Deno.test("an Administrator key of the root account reads the metrics, and shows as used", async () => {
  using app = await startApp({
    mounts: (ports) => ({
      metrics: metrics({ token: "", refresh: () => Promise.resolve() }, ports) as never,
    }),
  });
  const [admin, developer] = [
    await withKey(app.root, { Role: "Administrator" }),
    await withKey(app.root),
  ];
  const statusOf = async ({ user, token }: ApiClient) => {
    const headers = { Authorization: `Basic ${btoa(`${user}:${token}`)}` };
    return (await app.http.request("/metrics", { headers })).status;
  };
  assert.deepEqual([await statusOf(admin), await statusOf(developer)], [200, 403]);

  await app.root.delete(`Keys/${admin.user}.json`);

  assert.equal(await statusOf(admin), 401); // One cache for both, which knows at once.
});
