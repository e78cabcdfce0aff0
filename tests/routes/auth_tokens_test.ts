import assert from "node:assert/strict";
import { type App, startApp } from "../support/service/app.ts";

const statusOf = async (app: App, token: string) =>
  (await app.root.with({ token }).get("Calls.json")).status;

for (const version of ["2012-04-24", "2010-04-01"]) {
  Deno.test(`an AuthToken is changed below /${version} without a moment in which none is good`, async () => {
    using app = await startApp();
    const at = `/${version}/Accounts/${app.root.sid}/AuthTokens`;
    const old = app.root.token;

    const made = await app.root.post(`${at}/Secondary.json`);
    const { secondary_auth_token: next } = made.json();
    assert.equal(made.status, 200);
    assert.match(next, /^[0-9a-f]{32}$/);
    assert.equal((await app.root.post(`${at}/Secondary.json`)).status, 409);
    assert.deepEqual([await statusOf(app, old), await statusOf(app, next)], [200, 200]);

    const client = app.root.with({ token: next });
    const promoted = await client.post(`${at}/Promote.json`);
    assert.equal(promoted.json().auth_token, next);
    assert.deepEqual([await statusOf(app, old), await statusOf(app, next)], [401, 200]);
    assert.equal((await client.post(`${at}/Promote.json`)).status, 404);
  });
}

Deno.test("a secondary AuthToken is shown once, and is no more when it is deleted", async () => {
  using app = await startApp();
  const { secondary_auth_token: next } = (await app.root.post("AuthTokens/Secondary.json")).json();
  const account = await app.root.get(`/2012-04-24/Accounts/${app.root.sid}.json`);
  assert.ok(!account.text.includes(next));

  assert.equal((await app.root.delete("AuthTokens/Secondary.json")).status, 204);

  assert.equal(await statusOf(app, next), 401);
  assert.equal((await app.root.delete("AuthTokens/Secondary.json")).status, 404);
});

Deno.test("a new password ends the secondary AuthToken too", async () => {
  using app = await startApp();
  const { secondary_auth_token: next } = (await app.root.post("AuthTokens/Secondary.json")).json();

  await app.root.post(`/2012-04-24/Accounts/${app.root.sid}.json`, { Password: "another" });

  assert.deepEqual([await statusOf(app, app.root.token), await statusOf(app, next)], [401, 401]);
});

for (const version of ["2012-04-24", "2010-04-01"]) {
  Deno.test(`retries of both changes get the first response below /${version}`, async () => {
    using app = await startApp();
    const at = `/${version}/Accounts/${app.root.sid}/AuthTokens`;
    const send = (token: string, path: string) =>
      app.root.with({ token }).request("POST", `${at}/${path}`, {
        headers: { "Idempotency-Key": path },
      });

    const made = await Promise.all(
      [1, 2, 3].map(() => send(app.root.token, "Secondary.json")),
    );
    const next = made[0]!.json().secondary_auth_token;
    assert.deepEqual(made.map(({ text }) => text), made.map(() => made[0]!.text));
    assert.equal(await statusOf(app, next), 200);
    const promoted = await send(next, "Promote.json");
    assert.equal(promoted.json().auth_token, next);
    const again = await send(next, "Promote.json");
    assert.deepEqual([again.status, again.text], [200, promoted.text]);
    assert.equal(again.headers.get("Idempotent-Replayed"), "true");
    const kept = await app.ports.records.idempotencyKeys.list(app.root.sid, {
      where: [],
      skip: 0,
      limit: 10,
    });
    assert.equal(kept.total, 2);
    assert.ok(!JSON.stringify(kept.items).includes(next));
  });
}

Deno.test("an account without a secondary AuthToken accepts no placeholder of one", async () => {
  using app = await startApp();
  for (const token of ["", "-", "null", "undefined"]) assert.equal(await statusOf(app, token), 401);
});
