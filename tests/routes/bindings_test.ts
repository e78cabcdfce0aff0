import assert from "node:assert/strict";
import { Fault } from "../../core/base/faults.ts";
import { startApp } from "../support/service/app.ts";
import { makeSample, sampleBinding } from "../support/service/samples.ts";

Deno.test("GET Bindings lists the devices of a Client, the latest first, page by page", async () => {
  using app = await startApp();
  const sid = await makeSample(app, app.root, { name: "clients" });
  const binding = sampleBinding(app);
  const path = `Clients/${sid}/Bindings.json`;
  assert.deepEqual((await app.root.get(path)).json(), []);
  app.registered.set("alice1", [
    { ...binding, contact: "sip:old@phone.test", registeredAt: binding.registeredAt - 1_000 },
    { ...binding, contact: "sip:new@phone.test", path: ["<sip:a.test;lr>", "<sip:b.test;lr>"] },
  ]);

  const all = (await app.root.get(path)).json();
  const second = await app.root.get(`${path}?Page=1&PageSize=1`);

  assert.deepEqual(all.map(({ contact }: { contact: string }) => contact), [
    "sip:new@phone.test",
    "sip:old@phone.test",
  ]);
  assert.deepEqual([all[0].path, all[1].path], ["<sip:a.test;lr>, <sip:b.test;lr>", null]);
  assert.deepEqual([all[0].client_sid, all[0].expires], [sid, 3_000]);
  assert.deepEqual(second.json(), [all[1]]);
  assert.match(second.headers.get("Link")!, /rel="prev"/);
  assert.equal((await app.root.get(`${path}?PageSize=0`)).json().code, 20001);
});

Deno.test("GET Bindings is refused for a Client that is not in the account", async () => {
  using app = await startApp();
  const child = await app.subAccount(app.root, "child");
  const sid = await makeSample(app, child, { name: "clients" });

  assert.equal((await app.root.get(`Clients/${sid}/Bindings.json`)).json().code, 20404);
  assert.equal((await child.get(`Clients/${sid}/Bindings`)).status, 200);
  assert.equal(
    (await app.root.with({ sid: child.sid }).get(`Clients/${sid}/Bindings`)).status,
    200,
  );
  assert.equal((await child.get(`Clients/CL${"0".repeat(32)}/Bindings`)).status, 404);
});

Deno.test("GET Bindings has no other methods", async () => {
  using app = await startApp();
  const sid = await makeSample(app, app.root, { name: "clients" });

  for (const method of ["POST", "PUT", "DELETE"]) {
    const answer = await app.root.request(method, `Clients/${sid}/Bindings`);
    assert.equal(answer.status, 405);
    assert.equal(answer.headers.get("Allow"), "GET, HEAD");
  }
});

Deno.test("GET Bindings answers 503 without details when a companion cannot be asked", async () => {
  const refused = new Fault("unavailable", "http://10.0.0.1:8090 refused");
  using app = await startApp();
  app.ports.control.bindings = () => Promise.reject(refused);
  const sid = await makeSample(app, app.root, { name: "clients" });

  const answer = await app.root.get(`Clients/${sid}/Bindings.json`);

  assert.deepEqual([answer.status, answer.json().code], [503, 20503]);
  assert.ok(answer.headers.get("Retry-After"));
  assert.doesNotMatch(answer.text, /10\.0\.0\.1/);
});
