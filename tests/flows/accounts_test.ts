import assert from "node:assert/strict";
import { closeAccountHandler, deletedAtClose } from "../../core/jobs/close_account.ts";
import { limits } from "../../core/base/limits.ts";
import type { AnyCollection } from "../../core/model/store.ts";
import type { ApiClient } from "../support/service/api_client.ts";
import { type App, startApp } from "../support/service/app.ts";
import { makeSample, type SampledName, sampledNames } from "../support/service/samples.ts";

const lost = sampledNames.filter((name) => deletedAtClose.includes(name));

const setStatus = (by: ApiClient, { sid }: ApiClient, Status: string) =>
  by.post(`/2012-04-24/Accounts/${sid}.json`, { Status });

const register = (client: ApiClient, Login: string) =>
  client.post("Clients.json", { Login, Password: "secret" });

/** A call of an account that its companion holds. */
async function liveCall(app: App, client: ApiClient, to: string): Promise<string> {
  const form = { From: "+15550001", To: to, Url: "https://app.test/voice" };
  const { sid } = (await client.post("Calls.json", form)).json();
  await app.runJobs();
  return sid;
}

async function count(app: App, { sid }: ApiClient, name: SampledName): Promise<number> {
  const records: AnyCollection = app.ports.records[name];
  return (await records.list(sid, { where: [], skip: 0, limit: 1 })).total;
}

/** Makes `n` of each regular resource, each with its own name in the whole service. */
async function fill(app: App, client: ApiClient, { n, from = 1 }: { n: number; from?: number }) {
  for (const name of sampledNames) {
    for (let i = from; i < from + n; i++) await makeSample(app, client, { name, n: i });
  }
}

Deno.test("suspending ends live calls and makes the companion forget Clients, below it too", async () => {
  using app = await startApp();
  const parent = await app.subAccount(app.root, "parent");
  const child = await app.subAccount(parent, "child");
  await register(app.root, "rosa");
  await register(parent, "alice");
  await register(child, "bob");
  const calls = [
    await liveCall(app, parent, "client:alice"),
    await liveCall(app, child, "client:bob"),
  ];
  const kept = await liveCall(app, app.root, "client:rosa");
  app.scripts.length = 0;
  app.forgotten.length = 0;

  await setStatus(app.root, parent, "suspended");
  await app.runJobs();

  const ended = app.scripts.map(({ leg, script }) => [leg, script[0]?.type]);
  assert.deepEqual(ended.sort(), calls.map((sid) => [sid, "hangup"]).sort());
  assert.ok(!ended.some(([leg]) => leg === kept));
  assert.deepEqual(app.forgotten.sort(), ["alice", "bob"]);
  for (const name of lost) assert.equal(await count(app, parent, name), name === "clients" ? 1 : 0);

  app.forgotten.length = 0;
  app.scripts.length = 0;
  await setStatus(app.root, parent, "active");
  await app.runJobs();
  assert.deepEqual(app.forgotten.sort(), ["alice", "bob"]);
  assert.deepEqual(app.scripts, []);
});

Deno.test("suspending ends all other calls when one cannot be ended, and that one later", async () => {
  using app = await startApp();
  const parent = await app.subAccount(app.root, "parent");
  const child = await app.subAccount(parent, "child");
  for (const [owner, login] of [[parent, "alice"], [parent, "carol"], [child, "bob"]] as const) {
    await register(owner, login);
  }
  const stuck = await liveCall(app, parent, "client:alice");
  const others = [
    await liveCall(app, parent, "client:carol"),
    await liveCall(app, child, "client:bob"),
  ];
  const { calls } = app.ports.records;
  const { update } = calls;
  calls.update = (account, sid, change) =>
    sid === stuck
      ? Promise.reject(new Error("Cannot update: the store is busy"))
      : update(account, sid, change);
  app.scripts.length = 0;

  await setStatus(app.root, parent, "suspended");
  await app.runJobs();
  assert.deepEqual(app.scripts.map(({ leg }) => leg).sort(), others.sort());
  calls.update = update;
  app.clock.now += 30_000;
  await app.runJobs();

  assert.ok(app.scripts.some(({ leg }) => leg === stuck));
});

Deno.test("a call that waits to be dialled is canceled when its account is suspended", async () => {
  using app = await startApp();
  const child = await app.subAccount(app.root, "child");
  const form = { From: "+15550001", To: "client:alice", Url: "https://app.test/voice" };
  const { sid } = (await child.post("Calls.json", form)).json();
  await setStatus(app.root, child, "suspended");
  await app.runJobs();

  const call = await app.ports.records.calls.get(child.sid, sid);
  assert.ok(call?.status === "canceled" || call?.status === "failed", call?.status);
});

Deno.test("closing deletes the resources of a closed account, below it too, and retains the others", async () => {
  using app = await startApp();
  const parent = await app.subAccount(app.root, "parent");
  const child = await app.subAccount(parent, "child");
  const sibling = await app.subAccount(app.root, "sibling");
  await fill(app, parent, { n: 3 });
  await fill(app, child, { n: 3, from: 11 });
  await fill(app, sibling, { n: 3, from: 21 });
  await app.runJobs();

  await setStatus(app.root, parent, "closed");
  await app.runJobs();

  for (const closed of [parent, child]) {
    for (const name of lost) assert.equal(await count(app, closed, name), 0, name);
    for (const name of ["calls", "messages"] as const) {
      assert.equal(await count(app, closed, name), 3, name);
    }
  }
  for (const name of lost) assert.ok(await count(app, sibling, name) >= 3, name);
  assert.equal((await app.root.get(`/2012-04-24/Accounts/${parent.sid}.json`)).status, 200);
  assert.equal((await register(app.root, "alice1")).status, 200, "its Logins are free again");
});

Deno.test("closing deletes the audio of the recordings", async () => {
  using app = await startApp();
  const child = await app.subAccount(app.root, "child");
  const sid = await makeSample(app, child, { name: "recordings" });
  await app.ports.blobs.write(child.sid, sid, 0, new Uint8Array(4));

  await setStatus(app.root, child, "closed");
  await app.runJobs();

  assert.equal(await app.ports.blobs.get(child.sid, sid), null);
});

Deno.test("closing goes on where it was killed, and deletes resources created meanwhile", async () => {
  using app = await startApp();
  const child = await app.subAccount(app.root, "child");
  await fill(app, child, { n: 4 });
  await app.runJobs();
  const { recordings } = app.ports.records;
  const remove = recordings.remove;
  let left = 2;
  recordings.remove = (...args) => {
    if (left-- > 0) return remove(...args);
    return Promise.reject(new Error("killed"));
  };

  await setStatus(app.root, child, "closed");
  await app.runJobs();
  assert.equal(await count(app, child, "clients"), 0);
  assert.equal(await count(app, child, "recordings"), 2);
  assert.ok(await count(app, child, "notifications") > 0);

  recordings.remove = remove;
  app.clock.now += 1_000;
  await app.runJobs();
  for (const name of lost) assert.equal(await count(app, child, name), 0, name);

  await makeSample(app, child, { name: "notifications" });
  app.clock.now += limits.closingAgainMs[0]!;
  await app.runJobs();
  assert.equal(await count(app, child, "notifications"), 0);
});

Deno.test("closing walks through more records than one batch holds", async () => {
  using app = await startApp();
  const child = await app.subAccount(app.root, "child");
  const many = limits.accountBatch * 2 + 1;
  for (let n = 0; n < many; n++) await makeSample(app, child, { name: "transcriptions", n });

  const run = { id: "job", attempt: 1, madeAt: 0, signal: new AbortController().signal };
  await closeAccountHandler.work({ accountSid: child.sid }, app.ports, run);

  assert.equal(await count(app, child, "transcriptions"), 0);
});

Deno.test("closing stops between batches when its lease is lost", async () => {
  using app = await startApp();
  const child = await app.subAccount(app.root, "child");
  await makeSample(app, child, { name: "clients" });

  const signal = AbortSignal.abort(new Error("The lease of the job is lost"));
  const run = { id: "job", attempt: 1, madeAt: 0, signal };
  await assert.rejects(
    closeAccountHandler.work({ accountSid: child.sid }, app.ports, run),
    /lease/,
  );

  assert.equal(await count(app, child, "clients"), 1);
});

Deno.test("a deleted Application is removed from the Clients and the Sandbox that name it", async () => {
  using app = await startApp();
  const [gone, kept] = [
    await makeSample(app, app.root, { name: "applications", n: 1 }),
    await makeSample(app, app.root, { name: "applications", n: 2 }),
  ];
  const clients: string[] = [];
  for (const [Login, VoiceApplicationSid] of [["a", gone], ["b", kept], ["c", gone]]) {
    const form = { Login: Login!, Password: "secret", VoiceApplicationSid: VoiceApplicationSid! };
    clients.push((await app.root.post("Clients.json", form)).json().sid);
  }
  await app.root.post("Sandbox", { ApplicationSid: gone });

  await app.root.delete(`Applications/${gone}`);
  await app.runJobs();

  const named = clients.map(async (sid) =>
    (await app.root.get(`Clients/${sid}.json`)).json().voice_application_sid
  );
  assert.deepEqual(await Promise.all(named), [null, kept, null]);
  assert.equal((await app.root.get("Sandbox.json")).json().application_sid, null);
});
