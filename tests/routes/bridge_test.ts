import assert from "node:assert/strict";
import { bridgeLimits } from "../../core/bridge.ts";
import { bridgeHeader, signBridge } from "../../core/bridge_signature.ts";
import { bridge } from "../../routes/bridge.ts";
import { type App, startApp } from "../support/app.ts";

const secret = "a secret of both sides";

/** The bridge as it is mounted: the path that is signed is the whole one. */
async function ask(app: App, what: string, content: unknown, key = secret): Promise<Response> {
  const body = JSON.stringify(content);
  const path = `/bridge/${what}`;
  const signature = await signBridge(key, { at: app.clock.now, method: "POST", path, body });
  const init = { method: "POST", headers: { [bridgeHeader]: signature }, body };
  return await app.http.request(path, init);
}

const startBridge = () => startApp({ mounts: (ports) => ({ bridge: bridge(ports, secret) }) });

Deno.test("POST /bridge/credentials gives HA1s, and null for a login that nobody has", async () => {
  using app = await startBridge();
  await app.root.post("Clients.json", { Login: "alice", Password: "secret" });
  const known = await (await ask(app, "credentials", { login: "alice" })).json();
  assert.equal(known.credentials.allowed, true);
  assert.match(known.credentials.ha1.md5, /^[0-9a-f]{32}$/);
  assert.doesNotMatch(JSON.stringify(known), /secret/);
  for (const login of ["bob", "a".repeat(3_000)]) {
    assert.deepEqual(await (await ask(app, "credentials", { login })).json(), {
      credentials: null,
    });
  }
});

Deno.test("POST /bridge refuses what is not signed, old, unknown, malformed or too large", async () => {
  using app = await startBridge();
  assert.equal((await ask(app, "credentials", { login: "a" }, "another secret")).status, 401);
  assert.equal((await ask(app, "credentials", { user: "a" })).status, 400);
  assert.equal((await ask(app, "toString", {})).status, 404);
  const large = { login: "a".repeat(bridgeLimits.bodyBytes) };
  assert.equal((await ask(app, "credentials", large)).status, 413);
  const body = "{}";
  const signed = { at: app.clock.now, method: "POST", path: "/bridge/heartbeat", body };
  const signature = await signBridge(secret, signed);
  app.clock.now += bridgeLimits.signatureWindowMs + 1;
  const headers = { [bridgeHeader]: signature };
  const old = await app.http.request("/bridge/heartbeat", { method: "POST", headers, body });
  assert.equal(old.status, 401);
});

Deno.test("POST /bridge stops reading a body that has no end", async () => {
  using app = await startBridge();
  let pulled = 0;
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(64 << 10).fill(32, 0, ++pulled && 1)),
  });
  const response = await app.http.request("/bridge/report", { method: "POST", body: endless });
  assert.equal(response.status, 413);
  assert.ok(pulled < 40, `read ${pulled} chunks`);
});
