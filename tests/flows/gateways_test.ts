import assert from "node:assert/strict";
import type { GatewayReport, Registration } from "../../core/protocol/trunks.ts";
import { closeLostCompanions, takeHeartbeat } from "../../core/reports/heartbeats.ts";
import { assigneeOf } from "../../core/numbers/assignment.ts";
import { registrationsOf, takeGatewayReport } from "../../core/numbers/gateway_registrations.ts";
import { limits } from "../../core/base/limits.ts";
import type { ApiClient } from "../support/service/api_client.ts";
import { type App, startApp } from "../support/service/app.ts";
import { made } from "../support/service/hand_companion.ts";

const path = "Management/Gateways";
const wanted = { UserName: "me", Password: "secret", Proxy: "sip.carrier.test" };

const add = (account: ApiClient, form: Record<string, string> = {}) =>
  made(account, path, { ...wanted, ...form });
const shown = async (app: App, sid: string) => (await app.root.get(`${path}/${sid}.json`)).json();

/** Report of a companion about a registration that it was given. */
const tell = (
  app: App,
  { gatewaySid, accountSid, version }: Registration,
  status: GatewayReport["status"],
  rest: Partial<GatewayReport> = {},
) =>
  takeGatewayReport(
    { companionId: "a", gatewaySid, accountSid, version, status, ...rest },
    app.ports,
  );

const beat = (app: App, id: string) =>
  takeHeartbeat({ companion: { id, runId: "run" }, legs: [], registered: 0 }, app.ports);

Deno.test("a companion is given the Gateways that want to be registered, with their secrets", async () => {
  using app = await startApp();
  const tenant = await app.subAccount(app.root, "tenant");
  const own = await add(app.root, { TTL: "60" });
  await add(app.root, { Register: "false" });
  const theirs = await add(tenant, { UserName: "them" });

  const given = await registrationsOf("a", app.ports);

  const [first, second] = given.toSorted((a, b) => a.ttlS - b.ttlS) as [Registration, Registration];
  const { version, ...rest } = first;
  assert.match(version, /^[0-9a-f]{16}$/);
  assert.deepEqual(rest, {
    gatewaySid: own.sid,
    accountSid: app.root.sid,
    userName: "me",
    password: "secret",
    proxy: "sip.carrier.test",
    publicOnly: false,
    ttlS: 60,
  });
  assert.deepEqual([second.gatewaySid, second.publicOnly], [theirs.sid, true]);
});

Deno.test("Gateways of suspended accounts are registered no longer, and again once active", async () => {
  using app = await startApp();
  const tenant = await app.subAccount(app.root, "tenant");
  await add(await app.subAccount(tenant, "sub"));
  const count = async () => (await registrationsOf("a", app.ports)).length;
  assert.equal(await count(), 1);
  for (const [status, left] of [["suspended", 0], ["active", 1], ["closed", 0]] as const) {
    await app.runJobs();
    app.gatewaysChanged = 0;
    await app.root.post(`/2012-04-24/Accounts/${tenant.sid}`, { Status: status });
    assert.equal(await count(), left, status);
    await app.runJobs();
    assert.ok(app.gatewaysChanged > 0, "the companion is told");
  }
});

Deno.test("every Gateway has one companion, and a companion that goes leaves its share alone", async () => {
  using app = await startApp();
  for (let n = 0; n < 30; n++) await add(app.root, { UserName: `user${n}` });
  const share = async (id: string) =>
    (await registrationsOf(id, app.ports)).map(({ gatewaySid }) => gatewaySid);
  for (const id of ["a", "b", "c"]) await beat(app, id);
  const [a, b, c] = [await share("a"), await share("b"), await share("c")];
  assert.equal(new Set([...a, ...b, ...c]).size, 30);
  assert.equal(a.length + b.length + c.length, 30);
  assert.ok([a, b, c].every(({ length }) => length > 3), `${[a, b, c].map((x) => x.length)}`);

  app.clock.now += limits.companionLostMs + 1;
  for (const id of ["a", "b"]) await beat(app, id);
  const [restA, restB] = [await share("a"), await share("b")];
  assert.equal(restA.length + restB.length, 30);
  assert.ok(a.every((sid) => restA.includes(sid)) && b.every((sid) => restB.includes(sid)));
});

Deno.test("assigneeOf() does not depend on the order of companions", () => {
  const ids = ["a", "b", "c", "d"];
  for (let n = 0; n < 50; n++) {
    assert.equal(assigneeOf(`GW${n}`, ids), assigneeOf(`GW${n}`, ids.toReversed()));
  }
  assert.equal(assigneeOf("GW", []), null);
});

Deno.test("the outcome of a registration shows on the Gateway, with its date, and nothing else changes", async () => {
  using app = await startApp();
  const before = await add(app.root);
  const [registration] = await registrationsOf("a", app.ports) as [Registration];
  app.clock.now += 5_000;
  await tell(app, registration, "failed", { reason: "401 Unauthorized" });
  const failed = await shown(app, before.sid);
  assert.deepEqual(
    { ...failed, date_updated: "" },
    { ...before, date_updated: "", status: "failed", reason: "401 Unauthorized" },
  );
  assert.equal(Date.parse(failed.date_updated), app.clock.now);

  app.clock.now += 5_000;
  await tell(app, registration, "registered");
  const registered = await shown(app, before.sid);
  assert.deepEqual([registered.status, registered.reason], ["registered", null]);
  app.clock.now += 5_000;
  await tell(app, registration, "registered");
  assert.equal((await shown(app, before.sid)).date_updated, registered.date_updated, "a repeat");
  await tell(app, registration, "unregistered");
  assert.equal((await shown(app, before.sid)).status, "unregistered");
});

Deno.test("a report of old settings, of another companion or of a Gateway that is gone changes nothing", async () => {
  using app = await startApp();
  const { sid } = await add(app.root);
  const [old] = await registrationsOf("a", app.ports) as [Registration];
  await tell(app, old, "registered");
  const settings = { Password: "another" };
  assert.equal((await made(app.root, `${path}/${sid}`, settings)).status, "unregistered");
  await tell(app, old, "registered");
  assert.equal((await shown(app, sid)).status, "unregistered");

  const [fresh] = await registrationsOf("a", app.ports) as [Registration];
  assert.notEqual(fresh.version, old.version);
  await tell(app, fresh, "registered");
  await tell(app, fresh, "unregistered", { companionId: "b" });
  assert.equal((await shown(app, sid)).status, "registered");

  await made(app.root, `${path}/${sid}`, { FriendlyName: "Carrier" });
  assert.equal((await shown(app, sid)).status, "registered", "a name is not part of it");
  await made(app.root, `${path}/${sid}`, { Register: "false" });
  await tell(app, fresh, "registered");
  assert.equal((await shown(app, sid)).status, "unregistered");
  await app.root.delete(`${path}/${sid}`);
  await tell(app, fresh, "failed");
  await tell(app, { ...fresh, accountSid: `AC${"0".repeat(32)}` }, "registered");
});

Deno.test("a companion that another took over from cannot speak for the Gateway any more", async () => {
  using app = await startApp();
  const { sid } = await add(app.root);
  const [first, second] = assigneeOf(sid, ["a", "b"]) === "a" ? ["b", "a"] : ["a", "b"];
  const [registration] = await registrationsOf(first!, app.ports) as [Registration];
  await beat(app, first!);
  await tell(app, registration, "registered", { companionId: first! });
  await beat(app, second!);
  await tell(app, registration, "failed", { companionId: first! });
  assert.equal((await shown(app, sid)).status, "registered");
  await tell(app, registration, "registered", { companionId: second! });
  await tell(app, registration, "unregistered", { companionId: first! });
  assert.equal((await shown(app, sid)).status, "registered");
});

Deno.test("the Gateways of a companion that is gone show as unregistered", async () => {
  using app = await startApp();
  const { sid } = await add(app.root);
  const [registration] = await registrationsOf("a", app.ports) as [Registration];
  await beat(app, "a");
  await tell(app, registration, "registered");
  await app.runJobs();
  app.gatewaysChanged = 0;
  app.clock.now += limits.companionLostMs + 1;
  await closeLostCompanions(app.ports);
  await closeLostCompanions(app.ports);
  assert.equal(app.gatewaysChanged, 1, "another is to take over");
  const { status, reason } = await shown(app, sid);
  assert.deepEqual([status, reason], ["unregistered", "the companion that kept it is gone"]);
});

Deno.test("the companion is notified at once when a Gateway is made, changed or removed", async () => {
  using app = await startApp();
  const told = async () => {
    await app.runJobs();
    return app.gatewaysChanged;
  };
  const { sid } = await add(app.root);
  assert.equal(await told(), 1);
  await made(app.root, `${path}/${sid}`, { TTL: "60" });
  assert.equal(await told(), 2);
  await made(app.root, `${path}/${sid}`, { FriendlyName: "Carrier", TTL: "60" });
  assert.equal(await told(), 2);
  await app.root.delete(`${path}/${sid}`);
  assert.equal(await told(), 3);
  await add(app.root, { Register: "false" });
  assert.equal(await told(), 3);
});

Deno.test("the Gateways of a tenant are bounded, those of its sub-accounts among them", async () => {
  using app = await startApp();
  const tenant = await app.subAccount(app.root, "tenant");
  const sub = await app.subAccount(tenant, "sub");
  const post = (account: ApiClient, n: number) =>
    account.post("Management/Gateways.json", {
      UserName: `user${n}`,
      Password: "secret",
      Proxy: "proxy.test",
    });
  const accounts = [tenant, sub];
  const many = Array.from({ length: limits.gatewaysOfTenant + 20 }, (_, n) => n);
  const responses = await Promise.all(many.map((n) => post(accounts[n % 2]!, n)));
  const refused = responses.filter(({ status }) => status !== 200);
  assert.equal(refused.length, 20);
  for (const { status, ...answer } of refused) {
    assert.deepEqual([status, answer.json().code], [400, 20001]);
    assert.match(
      answer.json().message,
      new RegExp(`${tenant.sid} and its sub-accounts .* at most ${limits.gatewaysOfTenant}$`),
    );
  }
  const [one] = (await sub.get("Management/Gateways.json")).json();
  await sub.delete(`Management/Gateways/${one.sid}.json`);
  assert.equal((await post(tenant, 999)).status, 200, "one that is removed gives room");
  const other = await app.subAccount(app.root, "other");
  for (const account of [other, app.root]) assert.equal((await post(account, 1)).status, 200);
});
