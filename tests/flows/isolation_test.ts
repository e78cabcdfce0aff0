import assert from "node:assert/strict";
import { z } from "zod";
import { closeLostCompanions, takeHeartbeat } from "../../core/reports/heartbeats.ts";
import { registrationsOf } from "../../core/numbers/gateway_registrations.ts";
import { job } from "../support/service/job.ts";
import { limits } from "../../core/base/limits.ts";
import { notification } from "../../core/webhooks/notify.ts";
import { withDefaults } from "../../core/model/resource.ts";
import { gateways } from "../../core/model/resources/gateways.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import type { Call } from "../../core/model/resources/calls.ts";
import { removeOldRecords } from "../../core/usage/remove_old.ts";
import { emptyBatch } from "../../kv/store/batch.ts";
import { committer } from "../../kv/store/commit.ts";
import { openStore } from "../../kv/open_store.ts";
import { stageJobs } from "../../kv/jobs/queue.ts";
import { storeHealth } from "../../kv/store/store_health.ts";
import { sharedQueue } from "../../kv/jobs/shared_queue.ts";
import { worker } from "../../kv/jobs/worker.ts";
import { type App, startApp } from "../support/service/app.ts";
import { callOf, companion, companionOf, made } from "../support/service/hand_companion.ts";
import { storeFile, storeLab } from "../support/service/store_lab.ts";
import { openDenoKv } from "../../kv/engines/deno_kv.ts";

/** One account's record that cannot be read or written stops no work for other accounts. */

const longHost = "a".repeat(1_990);

interface Dialled {
  sid: string;
  leg: ReturnType<typeof companionOf>;
}

/** A call that its companion is dialling. */
async function dialledCall(app: App): Promise<Dialled> {
  const form = { From: "+15550001", To: "client:alice", Url: "https://app.test/voice" };
  const { sid } = await made(app.root, "Calls", form);
  await app.runJobs();
  const leg = companionOf(app, sid);
  await leg.report({ type: "inviting", from: form.From, to: form.To, sipCallId: "x" });
  return { sid, leg };
}

/** The same ports, in which changes of one record fail as if the store refused them. */
function failing(ports: Ports, sid: string): Ports {
  const { calls } = ports.records;
  const update: typeof calls.update = (account, of, change) => {
    if (of === sid) throw new TypeError("Key too large for write");
    return calls.update(account, of, change);
  };
  return { ...ports, records: { ...ports.records, calls: { ...calls, update } } };
}

async function twoCalls(app: App): Promise<[Dialled, Dialled]> {
  await made(app.root, "Clients", { Login: "alice", Password: "secret" });
  return [await dialledCall(app), await dialledCall(app)];
}

Deno.test("a heartbeat closes the lost calls beside one that cannot be closed, and logs that once", async () => {
  using app = await startApp();
  const [stuck, lost] = await twoCalls(app);
  app.clock.now += limits.legForgottenMs + 1;

  await takeHeartbeat({ companion, legs: [], registered: 0 }, failing(app.ports, stuck.sid));

  assert.equal((await callOf(app, lost.sid)).status, "failed");
  const lines = app.logged.filter(({ line }) => line === "Cannot close lost calls");
  assert.deepEqual(lines.map(({ fields }) => [fields?.failed, fields?.of]), [[1, [stuck.sid]]]);
});

Deno.test("a sweep closes the calls of a lost companion beside one that cannot be closed", async () => {
  using app = await startApp();
  await takeHeartbeat({ companion, legs: [], registered: 0 }, app.ports);
  const [stuck, lost] = await twoCalls(app);
  app.clock.now += limits.companionLostMs + 1;

  await closeLostCompanions(failing(app.ports, stuck.sid));
  const first = [(await callOf(app, stuck.sid)).status, (await callOf(app, lost.sid)).status];
  await closeLostCompanions(app.ports); // The fault that prevented its end is over.

  assert.deepEqual(first, ["queued", "failed"]);
  assert.equal((await callOf(app, stuck.sid)).status, "failed");
  assert.deepEqual(await app.ports.companions.list(), []);
});

Deno.test("a heartbeat hangs up the ended legs beside one that cannot be hung up", async () => {
  using app = await startApp();
  const calls = await twoCalls(app);
  for (const { leg } of calls) await leg.report({ type: "ended", outcome: "busy" });
  const legs = calls.map(({ sid }) => ({ leg: sid, accountSid: app.root.sid }));
  app.scripts.length = 0;
  const { run } = app.ports.control;
  const control = {
    ...app.ports.control,
    run: (...args: Parameters<typeof run>) => {
      if (args[0] === legs[0]!.leg) throw new Error("no such leg");
      return run(...args);
    },
  };

  await takeHeartbeat({ companion, legs, registered: 0 }, { ...app.ports, control });

  assert.deepEqual(app.scripts.map(({ leg }) => leg), [legs[1]!.leg]);
});

Deno.test("old deliveries are removed beside those of an account that cannot be read", async () => {
  using app = await startApp();
  const removed: string[] = [];
  const tenant = await app.subAccount(app.root, "tenant");
  const removeOld = (account: string) => {
    removed.push(account);
    if (account === app.root.sid) throw new TypeError("cannot read it");
    return Promise.resolve(0);
  };
  const deliveries = { ...app.ports.records.deliveries, removeOld };
  const ports = { ...app.ports, records: { ...app.ports.records, deliveries } };

  await removeOldRecords(ports, new AbortController().signal);

  assert.deepEqual(removed, [app.root.sid, tenant.sid]);
});

Deno.test("a Gateway whose secrets cannot be read hides none of the other Gateways", async () => {
  await using file = await storeFile();
  const { location } = file;
  const logged: string[] = [];
  const log = (line: string) => void logged.push(line);
  const lab = await storeLab(location);
  lab.store.close();
  for (const secretKey of ["another key", "lab"]) {
    const store = await openStore({ location, secretKey, now: () => lab.clock.now });
    const made = withDefaults(gateways, { userName: secretKey, password: "secret" });
    const record = { ...lab.call({}), ...made, sid: lab.sid("GW"), proxy: "sip.carrier.test" };
    await store.records.gateways.insert({ record: record as never });
    store.close();
  }
  const store = await openStore({ location, secretKey: "lab", now: () => lab.clock.now, log });

  const found = await store.records.gateways.group("registering", "yes");
  store.close();

  assert.deepEqual(found.map(({ userName }) => userName), ["lab"]);
  assert.deepEqual(logged, ["Cannot read a record"]);
});

Deno.test("Gateways are registered beside one whose account cannot be read", async () => {
  using app = await startApp();
  const tenant = await app.subAccount(app.root, "tenant");
  const form = { UserName: "me", Password: "secret", Proxy: "sip.carrier.test" };
  await made(app.root, "Management/Gateways", form);
  const theirs = await made(tenant, "Management/Gateways", form);
  const get = (sid: string) => {
    if (sid === app.root.sid) throw new TypeError("cannot read it");
    return app.ports.accounts.get(sid).then((account) => account && { ...account, ancestors: [] });
  };

  const given = await registrationsOf("a", {
    ...app.ports,
    accounts: { ...app.ports.accounts, get },
  });

  assert.deepEqual(given.map(({ gatewaySid }) => gatewaySid), [theirs.sid]);
});

Deno.test("a call whose stored StatusCallback has a host that no DNS can resolve ends all the same", async () => {
  using app = await startApp();
  const [{ sid, leg }] = await twoCalls(app);
  const statusCallback = `https://${longHost}/events`;
  await app.ports.records.calls.update(app.root.sid, sid, (call: Call) => ({
    record: { ...call, statusCallback, statusCallbackEvent: ["completed"] },
  }));

  const answer = await app.root.post(`Calls/${sid}.json`, { Status: "completed" });
  await leg.report({ type: "ended", outcome: "canceled" });

  assert.equal(answer.status, 200);
  assert.ok((await callOf(app, sid)).end_time);
});

Deno.test("a job whose end cannot be recorded is buried, and not run again", async () => {
  using app = await startApp();
  let runs = 0;
  const nowhere = {
    accountSid: `AC${"f".repeat(32)}`,
    callSid: null,
    fault: "callbackFailed",
    detail: "",
    level: "error",
  } as const;
  const kind = job<string>({
    kind: "test",
    args: z.string(),
    lane: () => "test",
    maxAttempts: 1,
    retryMs: () => 1_000,
    work() {
      runs++;
      throw new Error("it fails");
    },
    spent: (_, ports) => Promise.resolve([notification(nowhere, ports)]),
  });
  await app.ports.accounts.update(app.root.sid, (record) => ({ record, jobs: [kind("x")] }));

  for (let i = 0; i < 3; i++) {
    await app.runJobs([kind]);
    app.clock.now += 3_600_000;
  }

  assert.equal(runs, 1);
});

Deno.test("a lane whose jobs cannot be read holds up no other lane", async () => {
  using app = await startApp();
  const kv = await openDenoKv(":memory:");
  const commits = committer(kv, { checks: 100 });
  const jobs = sharedQueue(kv, commits, 100);
  const claim: typeof jobs.claim = (lane, wanted) => {
    if (lane.name === "broken") throw new TypeError("cannot read it");
    return jobs.claim(lane, wanted);
  };
  const done: string[] = [];
  const kind = job<string>({
    kind: "test",
    args: z.string(),
    lane: (name) => name,
    maxAttempts: 1,
    retryMs: () => 1_000,
    work: (name) => Promise.resolve(void done.push(name)),
  });
  const batch = emptyBatch();
  stageJobs(batch, ["broken", "other"].map((name) => kind(name)), app.ports);
  await commits.commit(batch);
  const stageAlso = () => Promise.resolve();
  const health = storeHealth(kv, app.ports);
  const parts = { watched: kv, committer: commits, health, ports: app.ports, stageAlso };

  await worker({ ...parts, handlers: [kind], queue: { ...jobs, claim } }).drain();
  kv.close();

  assert.deepEqual(done, ["other"]);
  assert.ok(app.logged.some(({ line }) => line === "Cannot look for the jobs of a lane"));
});
