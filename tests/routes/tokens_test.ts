import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
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

Deno.test("POST Tokens gives a day unless told, and refuses a Ttl out of bounds by name", async () => {
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
