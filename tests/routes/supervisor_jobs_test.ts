import assert from "node:assert/strict";
import { type App, startApp } from "../support/service/app.ts";

const jobs = "Supervisor.json/jobs";

/** Places a call and ends its job for good: no handler knows its kind. */
async function killDial(app: App): Promise<string> {
  await app.root.post("Clients", { Login: "alice", Password: "secret" });
  const form = { From: "+15550001", To: "client:alice", Url: "https://app.test/voice" };
  const { sid } = (await app.root.post("Calls.json", form)).json();
  await app.runJobs([]);
  return sid;
}

Deno.test("jobs are counted by kind: due, waiting and dead", async () => {
  using app = await startApp();
  await app.root.post("Clients", { Login: "alice", Password: "secret" });
  const form = { From: "+15550001", To: "client:alice", Url: "https://app.test/voice" };
  for (let n = 0; n < 2; n++) await app.root.post("Calls.json", form);

  const { whole, kinds, dead } = (await app.root.get(jobs)).json();
  const dial = kinds.find(({ kind }: { kind: string }) => kind === "call.dial");
  assert.deepEqual([whole, dial.due, dial.leased, dial.dead, dead], [true, 2, 0, 0, []]);
  assert.equal(dial.oldest_due, "Wed, 31 Jan 2024 12:00:00 +0000");
  app.clock.now -= 1_000;
  const earlier = (await app.root.get(jobs)).json().kinds;
  assert.equal(earlier.find(({ kind }: { kind: string }) => kind === "call.dial").waiting, 2);
});

Deno.test("a dead job is listed with its error, and runs after its retry", async () => {
  using app = await startApp();
  const sid = await killDial(app);

  const { dead } = (await app.root.get(jobs)).json();
  assert.deepEqual([dead.length, dead[0].kind, dead[0].attempts], [1, "call.dial", 1]);
  assert.match(dead[0].error, /unknown kind/);
  assert.equal("args" in dead[0], false);

  const retried = await app.root.post(jobs, { Retry: dead[0].id });
  assert.deepEqual([retried.status, retried.json()], [200, { id: dead[0].id, status: "due" }]);
  await app.runJobs();
  assert.deepEqual(app.scripts.map(({ leg }) => leg), [sid]);
  assert.deepEqual((await app.root.get(jobs)).json().dead, []);
  assert.equal((await app.root.post(jobs, { Retry: dead[0].id })).status, 404);
  assert.equal((await app.root.post(jobs, { Retry: "../x" })).status, 400);
  assert.equal((await app.root.post(jobs)).status, 400);
});

Deno.test("jobs are of the root account alone, and speak JSON", async () => {
  using app = await startApp();
  await killDial(app);
  const [dead] = (await app.root.get(jobs)).json().dead;
  const child = await app.subAccount(app.root, "child");
  const through = app.root.with({ sid: child.sid });
  const upwards = child.with({ sid: app.root.sid });

  for (const other of [child, through, upwards]) {
    assert.equal((await other.get(jobs)).status, 403);
    assert.equal((await other.post(jobs, { Retry: dead.id })).status, 403);
  }
  assert.equal((await app.root.get("Supervisor/jobs")).status, 406);
  assert.equal((await app.root.get(jobs)).json().dead.length, 1);
});
