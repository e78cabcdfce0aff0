import assert from "node:assert/strict";
import { startTwilioLab } from "../support/service/twilio_lab.ts";

const call = { from: "client:bob", to: "client:alice", twiml: "<Response><Pause/></Response>" };

Deno.test("npm twilio makes a key, works with it, and revokes it", async () => {
  await using lab = await startTwilioLab();
  const { client } = lab;
  const made = await client.newKeys.create({ friendlyName: "ci" });
  assert.match(made.sid, /^SK[0-9a-f]{32}$/);
  assert.equal(made.friendlyName, "ci");

  const withKey = lab.clientOfKey(made.sid, made.secret);
  const { sid } = await withKey.calls.create(call);
  assert.equal((await withKey.calls(sid).fetch()).status, "queued");
  assert.deepEqual((await withKey.calls.list()).map((one) => one.sid), [sid]);
  assert.equal(await client.keys(made.sid).remove(), true);

  await assert.rejects(withKey.calls.list(), { status: 401, code: 20003 });
});

Deno.test("npm twilio reads, renames and lists keys, under both names, without their secrets", async () => {
  await using lab = await startTwilioLab();
  const { client } = lab;
  const one = await client.newKeys.create();
  const two = await client.newSigningKeys.create({ friendlyName: "two" });
  assert.equal(one.friendlyName, one.sid);

  assert.equal((await client.keys(two.sid).update({ friendlyName: "2" })).friendlyName, "2");
  assert.equal((await client.signingKeys(one.sid).fetch()).sid, one.sid);
  for (
    const all of [
      await client.keys.list({ pageSize: 1 }),
      await client.signingKeys.list({ pageSize: 1 }),
    ]
  ) {
    assert.deepEqual(all.map(({ sid }) => sid), [two.sid, one.sid]);
    assert.ok(all.every((key) => !("secret" in key)));
  }
  assert.equal(await client.signingKeys(two.sid).remove(), true);
  await assert.rejects(client.keys(two.sid).fetch(), { status: 404, code: 20404 });
});

Deno.test("npm twilio with a Developer key sees no AuthToken and manages no credentials", async () => {
  await using lab = await startTwilioLab();
  const { client, app } = lab;
  const child = await client.api.accounts.create({ friendlyName: "child" });
  const { sid, secret } = await client.newKeys.create();
  const withKey = lab.clientOfKey(sid, secret);

  for (const account of [app.root.sid, child.sid]) {
    assert.equal((await withKey.api.accounts(account).fetch()).authToken, "");
  }
  await assert.rejects(withKey.api.accounts.list(), { status: 403 });
  await assert.rejects(withKey.keys.list(), { status: 403 });
  await assert.rejects(withKey.newKeys.create(), { status: 403 });
  await assert.rejects(withKey.api.accounts(child.sid).update({ status: "closed" }), {
    status: 403,
  });
});

Deno.test("npm twilio changes the AuthToken without a pause", async () => {
  await using lab = await startTwilioLab();
  const { client, app } = lab;
  const { v1 } = client.accounts;

  const made = await v1.secondaryAuthToken().create();
  const next = made.secondaryAuthToken;
  assert.match(next, /^[0-9a-f]{32}$/);
  assert.equal(made.accountSid, app.root.sid);
  assert.ok(made.dateCreated instanceof Date);
  await assert.rejects(v1.secondaryAuthToken().create(), { status: 409, code: 20409 });
  const changed = lab.clientOf(app.root.sid, next);
  assert.deepEqual(await changed.calls.list(), []);
  assert.deepEqual(await client.calls.list(), []);
  const promoted = await changed.accounts.v1.authTokenPromotion().update();
  assert.equal(promoted.authToken, next);

  await assert.rejects(client.calls.list(), { status: 401, code: 20003 });
  await changed.accounts.v1.secondaryAuthToken().create();
  assert.equal(await changed.accounts.v1.secondaryAuthToken().remove(), true);
  await assert.rejects(changed.accounts.v1.secondaryAuthToken().remove(), { status: 404 });
  const key = await changed.newKeys.create();
  const withKey = lab.clientOfKey(key.sid, key.secret);
  await assert.rejects(withKey.accounts.v1.secondaryAuthToken().create(), { status: 403 });
});
