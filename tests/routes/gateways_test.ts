import assert from "node:assert/strict";
import { startApp } from "../support/service/app.ts";

const wanted = { UserName: "me", Password: "secret", Proxy: "sip.carrier.test" };
const path = "Management/Gateways";

Deno.test("POST /Management/Gateways has defaults for parameters that are not sent", async () => {
  using app = await startApp();

  const { sid: _, uri: __, date_created: ___, date_updated: ____, ...made } =
    (await app.root.post(`${path}.json`, wanted)).json();

  assert.deepEqual(made, {
    account_sid: app.root.sid,
    friendly_name: "me",
    user_name: "me",
    password: "secret",
    proxy: "sip.carrier.test",
    register: true,
    ttl: 3600,
    status: "unregistered",
    reason: null,
  });
});

Deno.test("gateways answer under both version segments", async () => {
  using app = await startApp();
  const older = `/2010-04-01/Accounts/${app.root.sid}/${path}`;

  const { sid, uri } = (await app.root.post(`${older}.json`, wanted)).json();

  assert.equal(uri, `/2012-04-24/Accounts/${app.root.sid}/${path}/${sid}.json`);
  const { text } = await app.root.get(uri);
  assert.equal((await app.root.get(`${older}/${sid}.json`)).text, text);
  assert.equal((await app.root.get(`${older}.json`)).json().length, 1);
  for (const method of ["post", "put"] as const) {
    assert.equal((await app.root[method](`${older}/${sid}.json`, { TTL: "60" })).json().ttl, 60);
  }
  const anybody = { Authorization: "none" };
  assert.equal((await app.root.get(`${older}/${sid}`, anybody)).status, 401);
  assert.equal((await app.root.delete(`${older}/${sid}`)).status, 204);
  assert.equal((await app.root.get(uri)).status, 404);
});

Deno.test("gateways are an Administrator's, on every path and method", async () => {
  using app = await startApp();
  const developer = await app.subAccount(app.root, "developer");
  const { sid } = (await developer.post(`${path}.json`, wanted)).json();
  await app.root.post(`/2012-04-24/Accounts/${developer.sid}`, { Role: "Developer" });

  for (const version of ["2012-04-24", "2010-04-01"]) {
    const list = `/${version}/Accounts/${developer.sid}/${path}`;
    for (const [method, address] of [["GET", list], ["POST", list]] as const) {
      assert.equal((await developer.request(method, address)).status, 403, `${method} ${address}`);
    }
    for (const method of ["GET", "POST", "PUT", "DELETE"]) {
      const answer = await developer.request(method, `${list}/${sid}.json`);
      assert.deepEqual([answer.status, answer.json().code], [403, 20403]);
    }
  }
  assert.equal((await app.root.with({ sid: developer.sid }).get(`${path}/${sid}`)).status, 200);
});

Deno.test("every wrong parameter of a gateway is named", async () => {
  using app = await startApp();
  const cases: [Record<string, string>, RegExp][] = [
    [{ UserName: "" }, /UserName must/],
    [{ UserName: "a b" }, /UserName must be printable ASCII without spaces/],
    [{ UserName: 'a"b' }, /UserName must be printable/],
    [{ Password: "" }, /Password must not be empty$/],
    [{ Proxy: "" }, /Proxy must be the address of a SIP proxy/],
    [{ Proxy: "http://carrier.test" }, /Proxy must be/],
    [{ Proxy: "carrier.test\r\nX: y" }, /Proxy must be/],
    [{ Proxy: "carrier test" }, /Proxy must be/],
    [{ Register: "yes" }, /Register must be one of true, false$/],
    [{ TTL: "59" }, /TTL must be at least 60$/],
    [{ TTL: "86401" }, /TTL must be at most 86400$/],
    [{ TTL: "soon" }, /TTL must be a whole number$/],
    [{ FriendlyName: "x".repeat(65) }, /FriendlyName must have at most 64/],
  ];
  const { sid } = (await app.root.post(`${path}.json`, wanted)).json();

  for (const [changes, message] of cases) {
    for (const address of [`${path}.json`, `${path}/${sid}.json`]) {
      const answer = await app.root.post(address, { ...wanted, ...changes });
      assert.equal(answer.status, 400, answer.text);
      assert.match(answer.json().message, message);
    }
  }
  for (const Proxy of ["10.0.0.1:5060", "sip:[2001:db8::1]:5061;transport=tls", "sips:a.test"]) {
    assert.equal((await app.root.post(path, { ...wanted, Proxy })).status, 200, Proxy);
  }
});
