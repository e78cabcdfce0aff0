import assert from "node:assert/strict";
import { Fault } from "../../core/base/faults.ts";
import { mock } from "node:test";
import { z } from "zod";
import { type Condition, matches } from "../../core/base/filters.ts";
import { exponential } from "../../core/model/job.ts";
import { job } from "../support/service/job.ts";
import { limits } from "../../core/base/limits.ts";
import type { Call } from "../../core/model/resources/calls.ts";
import { resources } from "../../core/model/resources/mod.ts";
import { type App, startApp } from "../support/service/app.ts";
import { startKvConnect } from "../support/service/kv_connect.ts";
import { makeSample, sampledNames, samples } from "../support/service/samples.ts";
import { dice, type StoreLab, storeLab } from "../support/service/store_lab.ts";

/** Two instances of the service on one remote store. */
async function twoApps(location: string): Promise<[App, App]> {
  return [
    await startApp({ shared: { location, instance: 0 } }),
    await startApp({ shared: { location, instance: 1 } }),
  ];
}

for (const name of sampledNames) {
  const { path, update, removable } = resources[name];

  Deno.test(`${path}: one instance reads, changes and removes the records of the other`, async () => {
    await using endpoint = startKvConnect();
    const [here, there] = await twoApps(endpoint.url);
    using _here = here;
    using _there = there;
    const sids = [
      await makeSample(here, here.root, { name, n: 1 }),
      await makeSample(there, there.root, { name, n: 2 }),
    ];

    for (const app of [here, there]) {
      const list = (await app.root.get(`${path}.json?PageSize=1`)).text;
      assert.ok(list.includes(sids[1]!) && !list.includes(sids[0]!), list);
      const query = new URLSearchParams([samples[name].filter]);
      const filtered = (await app.root.get(`${path}.json?${query}`)).text;
      assert.ok(filtered.includes(sids[0]!) && !filtered.includes(sids[1]!), filtered);
    }
    if (update !== undefined) {
      const { form, json } = samples[name].update!;
      const changed = await there.root.post(`${path}/${sids[0]}.json`, form);
      assert.deepEqual(changed.json(), { ...changed.json(), ...json });
      assert.equal((await here.root.get(`${path}/${sids[0]}.json`)).text, changed.text);
    }
    if (!removable) return;
    assert.equal((await there.root.delete(`${path}/${sids[0]}`)).status, 204);
    assert.equal((await here.root.get(`${path}/${sids[0]}`)).status, 404);
  });
}

Deno.test("one of two instances has a unique name, and no change of a record is lost", async () => {
  await using endpoint = startKvConnect();
  const [here, there] = await twoApps(endpoint.url);
  using _here = here;
  using _there = there;
  const form = { Login: "alice", Password: "secret" };

  const answers = await Promise.all(
    [here, there, here, there].map((app) => app.root.post("Clients.json", form)),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409]);

  const { sid } = answers.find(({ status }) => status === 200)!.json();
  await Promise.all(
    Array.from(
      { length: 20 },
      (_, at) =>
        (at % 2 ? here : there).ports.records.clients.update(here.root.sid, sid, (client) => ({
          record: { ...client, friendlyName: String(Number(client.friendlyName) + 1 || 1) },
        })),
    ),
  );
  assert.equal((await here.ports.records.clients.get(here.root.sid, sid))?.friendlyName, "20");
});

const statuses = ["queued", "ringing", "in-progress", "completed", "busy"] as const;
const everything = { where: [], skip: 0, limit: 1_000 };

/** Ignores a late answer on a busy machine: the store has the write all the same. */
const late = (error: unknown): void => {
  if (!(error instanceof Fault) || error.kind !== "unavailable") throw error;
};

/** Creates, changes and removes calls through both instances at once; many meet at one record. */
async function churn(labs: [StoreLab, StoreLab], operations: number): Promise<void> {
  const [{ accountSid, clock, call }] = labs;
  const roll = dice(5);
  const sids: string[] = [];
  const gone = (error: Error) => assert.match(error.message, /^Cannot find/);
  const write = async () => {
    const { calls } = labs[roll(2)]!.store.records;
    const sid = sids[roll(sids.length + 1)];
    if (sid === undefined || roll(2) === 0) {
      clock.now += roll(7_200_000);
      const record = call({ from: `+1${roll(5)}`, to: `+2${roll(50)}`, startTime: clock.now });
      sids.push((await calls.insert({ record })).sid);
    } else if (roll(4) > 0) {
      const status = statuses[roll(5)]!;
      const change = (record: Call) => ({ record: { ...record, status } });
      await calls.update(accountSid, sid, change).catch(gone);
    } else await calls.remove(accountSid, sid).catch(gone);
  };
  await Promise.all(Array.from({ length: 16 }, async (_, writer) => {
    for (let done = writer; done < operations; done += 16) await write().catch(late);
  }));
}

Deno.test("every total is right after two instances wrote at once, and answers were lost", async () => {
  await using endpoint = startKvConnect();
  using here = await storeLab(endpoint.url);
  using there = await storeLab(endpoint.url);
  endpoint.lostAnswers = 3;

  await churn([here, there], 400);

  const { calls } = there.store.records;
  const { items } = await calls.list(there.accountSid, everything);
  assert.ok(items.length > 50);
  const days = [...new Set(items.map(({ dateCreated }) => Math.floor(dateCreated / dayMs)))];
  const conditions: Condition[] = [
    ...[...statuses].map((value) => ({ field: "status", op: "equals", value }) as const),
    ...[0, 1, 2, 3, 4].map((n) => ({ field: "from", op: "equals", value: `+1${n}` }) as const),
    ...days.map((day) =>
      ({ field: "startTime", op: "between", from: day * dayMs, before: (day + 1) * dayMs }) as const
    ),
  ];
  for (const condition of conditions) {
    const where = [condition];
    const passed = items.filter((one) => matches({ ...one }, where));
    const found = await calls.list(there.accountSid, { ...everything, where });
    assert.deepEqual(found, { items: passed, total: passed.length });
  }
});

const dayMs = 86_400_000;

Deno.test("a write whose answer is lost is made once, and succeeds", async () => {
  await using endpoint = startKvConnect();
  using app = await startApp({ shared: { location: endpoint.url, instance: 0 } });
  const form = { Login: "alice", Password: "secret" };
  endpoint.lostAnswers = 1;
  const made = await app.root.post("Clients.json", form);
  assert.equal(made.status, 200, made.text);
  const { sid } = made.json();

  const seen: string[] = [];
  endpoint.lostAnswers = 1;
  await app.ports.records.clients.update(app.root.sid, sid, (client) => {
    seen.push(client.friendlyName);
    return { record: { ...client, friendlyName: `${client.friendlyName}!` } };
  });
  assert.deepEqual(seen, ["alice"]);
  assert.equal((await app.root.get(`Clients/${sid}.json`)).json().friendly_name, "alice!");
  assert.equal((await app.root.post("Clients.json", form)).status, 409);
});

/** A kind of job whose work is a function of the test's. */
const kindOf = (work: (text: string) => void) =>
  job({
    kind: "test",
    args: z.string(),
    lane: () => "test",
    maxAttempts: 1,
    retryMs: exponential(1_000, 1_000),
    work: (text) => Promise.resolve(work(text)),
  });

Deno.test("a job that one instance commits wakes the worker of the other, without its poll", async () => {
  await using endpoint = startKvConnect();
  const [here, there] = await twoApps(endpoint.url);
  using _here = here;
  using _there = there;
  const done = Promise.withResolvers<string>();
  const { setTimeout, clearTimeout } = globalThis;
  const late = setTimeout(() => done.reject(new Error("Nothing woke the worker")), 60_000);
  const told = kindOf(done.resolve);
  mock.timers.enable({ apis: ["setTimeout"] }); // So no poll comes due.
  try {
    const worker = await there.worker([told]);
    worker.start();
    const change = (record: never) => ({ record, jobs: [told("now")] });
    await here.ports.accounts.update(here.root.sid, change as never);

    assert.equal(await done.promise, "now");
    clearTimeout(late);
    mock.timers.reset();
    await worker.stop(1_000);
  } finally {
    mock.timers.reset();
  }
});

Deno.test("each of many jobs is performed once by the workers of two instances", async () => {
  await using endpoint = startKvConnect();
  const [here, there] = await twoApps(endpoint.url);
  using _here = here;
  using _there = there;
  const noted: string[] = [];
  const note = kindOf((text) => void noted.push(text));
  const names = Array.from({ length: 60 }, (_, at) => String(at));
  const jobs = names.map((name) => note(name));
  await here.ports.accounts.update(here.root.sid, (record) => ({ record, jobs }));

  await Promise.all([here.runJobs([note]), there.runJobs([note])]);
  await here.runJobs([note]);

  assert.deepEqual(noted.toSorted(), names.toSorted());
});

Deno.test("a store that falls silent: every request ends with 503 within the deadline", async () => {
  await using endpoint = startKvConnect();
  using app = await startApp({ shared: { location: endpoint.url, instance: 0 } });
  const { sid } = (await app.root.post("Clients.json", { Login: "al", Password: "secret" })).json();
  endpoint.fallSilent();
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const asked = [
      app.root.get("Clients.json"),
      app.root.get(`Clients/${sid}.json`),
      app.root.get("Calls.json?Status=busy"),
      app.root.get("Calls.json?StartTime=2024-01-31"),
      app.root.post("Clients.json", { Login: "bob", Password: "secret" }),
      app.root.post(`Clients/${sid}.json`, { Status: "0" }),
      app.root.delete(`Clients/${sid}.json`),
      app.root.with({ user: `AC${"0".repeat(32)}` }).get("Clients.json"),
      app.root.post("IncomingPhoneNumbers.json", { AreaCode: "415" }),
    ];
    const form = samples.calls.create!(1);
    asked.push(...Array.from({ length: 60 }, () => app.root.post("Calls.json", form)));
    let left = asked.length;
    for (const one of asked) one.finally(() => left--);
    for (let tick = 0; tick <= 12; tick++) {
      for (let turn = 0; turn < 50; turn++) await new Promise((next) => setImmediate(next));
      mock.timers.tick(limits.storeTimeoutMs / 10);
    }
    assert.equal(left, 0, `${left} requests have not ended`);
    for (const answer of await Promise.all(asked)) {
      assert.deepEqual([answer.status, answer.json().code], [503, 20503], answer.text);
      assert.equal(answer.headers.get("Retry-After"), String(limits.retryAfterS));
    }
  } finally {
    mock.timers.reset();
  }
});
