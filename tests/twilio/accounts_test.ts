import assert from "node:assert/strict";
import { startTwilioLab } from "../support/service/twilio_lab.ts";

Deno.test("npm twilio makes a sub-account by its name, which then has its own credentials", async () => {
  await using lab = await startTwilioLab();
  const { client, app, clientOf } = lab;

  const made = await client.api.accounts.create({ friendlyName: "Shop" });
  const unnamed = await client.api.accounts.create();
  assert.match(unnamed.friendlyName, /^SubAccount Created at 2024-01-31 12:00$/);
  assert.equal(made.ownerAccountSid, app.root.sid);
  assert.equal(made.status, "active");
  const own = clientOf(made.sid, made.authToken);
  assert.equal((await own.api.accounts(made.sid).fetch()).friendlyName, "Shop");
  const text = { to: "+14155550102", from: "+14155550101", body: "Hi" };
  assert.equal((await own.messages.create(text)).accountSid, made.sid);
  await assert.rejects(own.api.accounts(app.root.sid).fetch(), { status: 403 });

  const changed = await client.api.accounts(made.sid).update({
    friendlyName: "Old shop",
    status: "suspended",
  });
  assert.equal(changed.status, "suspended");
  await assert.rejects(own.messages.list(), { status: 403, code: 20005 });
  const active = await client.api.accounts(made.sid).update({ status: "active" });
  assert.equal(active.status, "active");
});

Deno.test("the list of accounts has the account itself and its sub-accounts, to the end", async () => {
  await using lab = await startTwilioLab();
  const { accounts } = lab.client.api;
  const sids = [lab.app.root.sid];
  for (let n = 0; n < 4; n++) {
    sids.unshift((await accounts.create({ friendlyName: `child ${n}` })).sid);
  }
  await accounts(sids[0]!).update({ status: "suspended" });
  const sidsOf = async (query: Parameters<typeof accounts.list>[0]) =>
    (await accounts.list(query)).map(({ sid }) => sid);

  for (const pageSize of [1, 2, 4, 5, 50]) assert.deepEqual(await sidsOf({ pageSize }), sids);
  assert.deepEqual(await sidsOf({ friendlyName: "child 1" }), [sids[2]]);
  assert.deepEqual(await sidsOf({ status: "suspended" }), [sids[0]]);
  const answer = await fetch(`${lab.url}/2010-04-01/Accounts/${lab.app.root.sid}.json`, {
    method: "DELETE",
    headers: { Authorization: `Basic ${btoa(`${lab.app.root.sid}:${lab.app.root.token}`)}` },
  });
  assert.equal(answer.status, 405);
});
