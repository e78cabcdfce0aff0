import assert from "node:assert/strict";
import { resources } from "../../core/model/resources/mod.ts";
import { startApp } from "../support/service/app.ts";
import { document } from "../support/service/openapi.ts";
import { makeSample, sampledNames } from "../support/service/samples.ts";

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

/** A tree: root over parent and aunt; parent over caller and sibling; aunt over cousin. */
async function family() {
  const app = await startApp();
  const parent = await app.subAccount(app.root, "parent");
  const aunt = await app.subAccount(app.root, "aunt");
  return {
    app,
    parent,
    aunt,
    caller: await app.subAccount(parent, "caller"),
    sibling: await app.subAccount(parent, "sibling"),
    cousin: await app.subAccount(aunt, "cousin"),
    [Symbol.dispose]: () => app[Symbol.dispose](),
  };
}

Deno.test("an account reaches no parent, sibling or cousin on any path with any method", async () => {
  using tree = await family();
  const { app, caller } = tree;

  for (const foreign of [app.root, tree.parent, tree.aunt, tree.sibling, tree.cousin]) {
    const below = `/2012-04-24/Accounts/${foreign.sid}`;
    const addresses = Object.keys(document.paths).filter((path) => path.includes("{AccountSid}"))
      .map((path) => path.replace("{AccountSid}", foreign.sid).replaceAll(/\{\w+\}/g, "x"))
      .concat(`${below}/Nothing`, `${below}/Recordings/RE.wav`);
    for (const name of sampledNames) {
      const sid = await makeSample(app, foreign, { name, n: Number(foreign.sid.slice(-2)) });
      addresses.push(`${below}/${resources[name].path}/${sid}.json`);
    }
    for (const address of addresses) {
      for (const method of methods) {
        const answer = await caller.request(method, address);
        assert.equal(answer.status, 403, `${method} ${address}`);
      }
    }
  }
});

Deno.test("a refusal tells nothing about whether the account or the resource exists", async () => {
  using tree = await family();
  const { app, caller, sibling } = tree;
  const sid = await makeSample(app, sibling, { name: "clients" });

  const there = await caller.get(`/2012-04-24/Accounts/${sibling.sid}/Clients/${sid}.json`);
  for (
    const path of [
      `${sibling.sid}/Clients/CL${"0".repeat(32)}.json`,
      `AC${"0".repeat(32)}/Clients.json`,
      "nobody%40example.com/Clients.json",
      "sibling%40example.com/Clients.json",
      "nope.json",
    ]
  ) {
    const answer = await caller.get(`/2012-04-24/Accounts/${path}`);
    assert.equal(answer.text, there.text, path);
    assert.equal(answer.json().code, 20403);
  }
});

Deno.test("an account acts for its descendants, named by Sid or e-mail address", async () => {
  using tree = await family();
  const { app, parent, caller } = tree;
  const form = { Login: "alice", Password: "secret" };

  for (const above of [app.root, parent]) {
    const made = (await above.post(`/2012-04-24/Accounts/${caller.sid}/Clients.json`, form)).json();
    assert.equal(made.account_sid, caller.sid);
    const path = `/2012-04-24/Accounts/Caller%40Example.com/Clients/${made.sid}.json`;
    assert.equal((await above.get(path)).json().uri.split("/")[3], caller.sid);
    assert.equal((await above.delete(path)).status, 204);
  }
});

Deno.test("a record is found below its own account only, also by whoever may act for both", async () => {
  using tree = await family();
  const { app, parent, caller } = tree;
  const sid = await makeSample(app, caller, { name: "clients" });

  assert.equal((await parent.with({ sid: caller.sid }).get(`Clients/${sid}`)).status, 200);
  assert.equal((await parent.get(`Clients/${sid}`)).status, 404);
  assert.equal((await app.root.delete(`Clients/${sid}`)).status, 404);
});
