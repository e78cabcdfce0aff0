import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { credentialsOf } from "../../core/accounts/credentials.ts";
import { tokenPassword } from "../../core/base/sip_token.ts";
import { startApp } from "../support/service/app.ts";

const stun = { url: "stun:turn.test:3478", urls: "stun:turn.test:3478" };
const turn = "turn:turn.test:3478?transport=tcp";

Deno.test("POST Tokens answers TURN credentials that end with their Ttl and that coturn can check", async () => {
  using app = await startApp();

  const answer = await app.root.post("Tokens.json", { Ttl: "600" });
  const token = answer.json();

  const expiresS = app.clock.now / 1_000 + 600;
  const username = `${expiresS}:${app.root.sid}`;
  const secret = app.ports.settings.ice.turnSecret;
  const password = createHmac("sha1", secret).update(username).digest("base64");
  assert.equal(token.username, username);
  assert.equal(token.password, password);
  assert.equal(token.ttl, "600");
  assert.deepEqual(token.ice_servers, [stun, {
    url: turn,
    urls: turn,
    username,
    credential: password,
  }]);
  assert.equal(answer.headers.get("Cache-Control"), "no-store");
});

Deno.test("POST Tokens gives a day without a Ttl, and refuses a Ttl out of bounds by name", async () => {
  using app = await startApp();

  assert.equal((await app.root.post("Tokens.json")).json().ttl, "86400");
  assert.equal((await app.root.post("Tokens.json", { Ttl: "86400" })).status, 200);
  for (const Ttl of ["59", "86401", "1e3", "-60", "ten", ""]) {
    const refused = await app.root.post("Tokens.json", { Ttl });
    assert.equal(refused.status, 400, Ttl);
    assert.match(refused.json().message, /Ttl must be/);
  }
});

Deno.test("POST Tokens has no credentials where no TURN server is set up", async () => {
  using app = await startApp();
  app.ports.settings.ice = { urls: ["stun:turn.test:3478"], turnSecret: "" };

  const token = (await app.root.post("Tokens.json")).json();

  assert.deepEqual([token.username, token.password], [null, null]);
  assert.deepEqual(token.ice_servers, [stun]);
});

Deno.test("Tokens are made for an account with credentials, by POST alone", async () => {
  using app = await startApp();
  const child = await app.subAccount(app.root, "child");
  const asChild = (await child.post("Tokens.json")).json();

  assert.equal((await app.root.with({ token: "wrong" }).post("Tokens.json")).status, 401);
  assert.equal((await child.with({ sid: app.root.sid }).post("Tokens.json")).status, 403);
  assert.equal((await app.root.get("Tokens.json")).status, 405);
  assert.equal(asChild.account_sid, child.sid);
  assert.ok(asChild.username.endsWith(`:${child.sid}`));
});

Deno.test("POST Tokens with a Login has SIP credentials of the Client that end with it", async () => {
  using app = await startApp();
  await app.root.post("Clients.json", { Login: "alice", Password: "secret" });

  const token = (await app.root.post("Tokens.json", { Login: "alice", Ttl: "600" })).json();

  assert.equal(token.sip_username, `alice~${Math.floor(app.clock.now / 1_000) + 600}`);
  assert.equal(token.sip_uri, `sip:alice@${app.ports.settings.sipDomain}`);
  const { tokenKey } = (await credentialsOf("alice", app.ports))!;
  assert.equal(token.sip_password, tokenPassword(tokenKey!, token.sip_username));
  assert.ok(token.sip_password.length >= 40);
  const without = (await app.root.post("Tokens.json")).json();
  assert.deepEqual(
    [without.sip_username, without.sip_password, without.sip_uri],
    [null, null, null],
  );
});

Deno.test("SIP credentials of a Token end with the Client, its Password and its Status", async () => {
  using app = await startApp();
  const made = await app.root.post("Clients.json", { Login: "alice", Password: "secret" });
  const { sid } = made.json();
  const keys = new Set<string>();
  const noteKey = async () => keys.add((await credentialsOf("alice", app.ports))!.tokenKey!);
  await noteKey();
  await app.root.post(`Clients/${sid}.json`, { Password: "another" });
  await noteKey();
  await app.root.delete(`Clients/${sid}.json`);
  await app.root.post("Clients.json", { Login: "alice", Password: "another" });
  await noteKey();

  assert.equal(keys.size, 3);
});

Deno.test("POST Tokens refuses a Login of no Client, of another account, or switched off", async () => {
  using app = await startApp();
  const child = await app.subAccount(app.root, "child");
  await child.post("Clients.json", { Login: "carol", Password: "secret" });
  await app.root.post("Clients.json", { Login: "dora", Password: "secret", Status: "0" });

  for (const Login of ["nobody", "carol", "", "x".repeat(65)]) {
    const refused = await app.root.post("Tokens.json", { Login });
    assert.equal(refused.status, 400, Login);
    assert.match(refused.json().message, /Login must/);
  }
  const off = await app.root.post("Tokens.json", { Login: "dora" });
  assert.match(off.json().message, /whose Status is 1/);
});
