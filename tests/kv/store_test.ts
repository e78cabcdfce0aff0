import assert from "node:assert/strict";
import type { Fault } from "../../core/base/faults.ts";
import { job, type TestJob } from "../support/service/job.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import { withDefaults } from "../../core/model/resource.ts";
import type { Account } from "../../core/model/resources/accounts.ts";
import { type Client, clients } from "../../core/model/resources/clients.ts";
import { type Call, calls } from "../../core/model/resources/calls.ts";
import { sealer } from "../../kv/store/seal.ts";
import { openStore } from "../../kv/open_store.ts";
import { holdCommits } from "../support/service/hold_commits.ts";
import { storeFile } from "../support/service/store_lab.ts";
import { type App, startApp } from "../support/service/app.ts";
import { z } from "zod";
import { eventually } from "../support/process/eventually.ts";

const clientOf = (accountSid: string, login: string, number: number): Client =>
  ({
    sid: "CL" + String(number).padStart(32, "0"),
    accountSid,
    dateCreated: 1,
    dateUpdated: 1,
    ...withDefaults(clients, { login, password: "secret" }),
  }) as Client;

Deno.test("update() loses no change when many write one record", async () => {
  using app = await startApp();
  const { records } = app.ports;
  const { sid, accountSid } = await records.clients.insert({
    record: clientOf(app.root.sid, "alice", 1),
  });

  await Promise.all(
    Array.from({ length: 20 }, () =>
      records.clients.update(accountSid, sid, (client) => ({
        record: { ...client, friendlyName: String(Number(client.friendlyName) + 1 || 1) },
      }))),
  );

  assert.equal((await records.clients.get(accountSid, sid))?.friendlyName, "20");
});

Deno.test("insert() lets one of many have a unique name, also when they share a commit", async () => {
  using app = await startApp();
  const { clients } = app.ports.records;
  const tries = await Promise.allSettled(
    Array.from(
      { length: 10 },
      (_, number) => clients.insert({ record: clientOf(app.root.sid, "alice", number) }),
    ),
  );

  const won = tries.filter(({ status }) => status === "fulfilled");
  const faults = tries.flatMap((one) =>
    one.status === "rejected" ? [(one.reason as Fault).fault] : []
  );
  assert.equal(won.length, 1);
  assert.deepEqual(new Set(faults), new Set(["alreadyExists"]));
  assert.equal((await clients.holder("login", "alice"))?.login, "alice");
  assert.equal((await clients.list(app.root.sid, { where: [], skip: 0, limit: 50 })).total, 1);
});

Deno.test("remove() frees the unique name", async () => {
  using app = await startApp();
  const { clients } = app.ports.records;
  const { sid } = await clients.insert({ record: clientOf(app.root.sid, "alice", 1) });
  await clients.remove(app.root.sid, sid);
  assert.equal(await clients.holder("login", "alice"), null);
  await clients.insert({ record: clientOf(app.root.sid, "alice", 2) });
});

/** Inserts a call that rings, at a companion or at none. */
async function ringingCall({ root, ports }: App, companion: Call["companion"]): Promise<Call> {
  const dates = { dateCreated: 1, dateUpdated: 1 };
  const base = { sid: "CA" + "0".repeat(32), accountSid: root.sid, ...dates };
  const sent = { from: "a", to: "b", status: "ringing", companion };
  const record = { ...base, ...withDefaults(calls, sent) } as Call;
  return await ports.records.calls.insert({ record });
}

Deno.test("group() follows a record in and out of its group", async () => {
  using app = await startApp();
  const { calls: records } = app.ports.records;
  const call = await ringingCall(app, { id: "one", runId: "1" });
  assert.deepEqual((await records.group("live", "one")).map(({ sid }) => sid), [call.sid]);

  await records.update(app.root.sid, call.sid, (call) => ({ record: { ...call, status: "busy" } }));
  assert.deepEqual(await records.group("live", "one"), []);
});

Deno.test("group() of a tenant has the records of its accounts, and of no other", async () => {
  using app = await startApp();
  const tenant = await app.subAccount(app.root, "tenant");
  const sub = await app.subAccount(tenant, "sub");
  const other = await app.subAccount(app.root, "other");
  for (const [at, account] of [app.root, tenant, sub, other].entries()) {
    const PhoneNumber = `${at}.`;
    await account.post("IncomingPhoneNumbers", { PhoneNumber, isSIP: "true" });
    await account.post("IncomingPhoneNumbers", { PhoneNumber: `${at}`, isSIP: "true" });
  }
  const { incomingPhoneNumbers: numbers } = app.ports.records;
  const groupOf = async ({ sid }: { sid: string }) =>
    (await numbers.group("tenantPatterns", sid)).map(({ phoneNumber }) => phoneNumber).toSorted();
  const groups = () => Promise.all([app.root, tenant, sub, other].map(groupOf));
  assert.deepEqual(await groups(), [["0."], ["1.", "2."], [], ["3."]]);

  const [number] = (await sub.get("IncomingPhoneNumbers.json?PhoneNumber=2.")).json();
  const path = `/2012-04-24/Accounts/${sub.sid}/IncomingPhoneNumbers/${number.sid}.json`;
  await app.root.post(path, { AccountSid: other.sid });
  assert.deepEqual(await groups(), [["0."], ["1."], [], ["2.", "3."]]);
  await other.delete(`IncomingPhoneNumbers/${number.sid}.json`);
  assert.deepEqual(await groups(), [["0."], ["1."], [], ["3."]]);
});

Deno.test("group() has the record of a commit whose response is still under way", async () => {
  using app = await startApp();
  const { calls: records } = app.ports.records;
  const { sid, accountSid } = await ringingCall(app, null);
  const companion = { id: "one", runId: "1" };
  using held = holdCommits(app);
  const written = records.update(accountSid, sid, (call) => ({ record: { ...call, companion } }));
  await held.made;

  const members = records.group("live", "one");
  await held.release();
  await written;

  assert.deepEqual((await members).map(({ companion }) => companion), [companion]);
});

Deno.test("list() starts after a Sid, with any records added since", async () => {
  using app = await startApp();
  const { clients } = app.ports.records;
  for (let number = 1; number <= 5; number++) {
    await clients.insert({ record: clientOf(app.root.sid, `u${number}`, number) });
  }
  const after = "CL" + "4".padStart(32, "0");
  const { items, total } = await clients.list(app.root.sid, {
    where: [],
    skip: 0,
    limit: 2,
    after,
  });
  assert.deepEqual(items.map(({ login }) => login), ["u3", "u2"]);
  assert.equal(total, 5);
});

Deno.test("sealer() opens its own sealed texts, and none sealed under another key", () => {
  const { seal, open } = sealer("one key");
  const sealed = seal("pässword");
  assert.notEqual(seal("pässword"), sealed);
  assert.equal(open(sealed), "pässword");
  assert.throws(() => sealer("another key").open(sealed), /SECRET_KEY/);
});

const options = { secretKey: "test", now: () => 1 };

Deno.test("openStore() seals secrets in the file and keeps the file to its owner", async () => {
  await using file = await storeFile();
  const store = await openStore({ ...options, location: file.location });
  await store.accounts.insert({
    record: {
      ...accountOf("AC" + "0".repeat(32)),
      emailAddress: "root@example.com",
      authToken: "a token nobody may find",
    },
  });
  const account = await store.accounts.byEmail("ROOT@example.com");
  store.close();

  assert.equal(account?.authToken, "a token nobody may find");
  assert.equal((await Deno.stat(file.location)).mode! & 0o777, 0o600);
  for await (const { name } of Deno.readDir(file.location.replace(/\/[^/]*$/, ""))) {
    const bytes = await Deno.readFile(file.location.replace(/[^/]*$/, name));
    assert.ok(!new TextDecoder("latin1").decode(bytes).includes("nobody may find"), name);
  }
});

Deno.test("openStore() refuses a file that another process has open", async () => {
  await using file = await storeFile();
  const script = `
    import { openStore } from ${
    JSON.stringify(new URL("../../kv/open_store.ts", import.meta.url).href)
  };
    await openStore({ location: ${JSON.stringify(file.location)}, secretKey: "x", now: () => 1 })
      .then(() => console.log("opened"), (error) => console.log(error.message));
    Deno.exit(0);`;
  const open = async () => {
    const args = ["eval", "--unstable-kv", script];
    const { stdout } = await new Deno.Command(Deno.execPath(), { args, stderr: "inherit" })
      .output();
    return new TextDecoder().decode(stdout).trim();
  };
  const store = await openStore({ ...options, location: file.location });
  assert.equal(
    await open(),
    `Cannot open the store: ${file.location} is in use by another process`,
  );
  store.close();
  assert.equal(await open(), "opened");
});

Deno.test("openStore() hands jobs that a killed process held to the next one at once", async () => {
  await using file = await storeFile();
  const ran: string[] = [];
  const noteJob: TestJob<string> = job({
    kind: "note",
    args: z.string(),
    lane: () => "notes",
    maxAttempts: 2,
    retryMs: () => 0,
    work: (text, _, { attempt }) => {
      ran.push(`${text} ${attempt}`);
      return text === "hangs" && attempt === 1 ? new Promise(() => {}) : Promise.resolve();
    },
  });
  const first = await openStore({ ...options, location: file.location });
  const ports = { now: () => 1, steadyNow: () => 1, log: () => {} } as unknown as Ports;
  await first.accounts.insert({
    record: accountOf("AC" + "1".repeat(32)),
    jobs: [noteJob("hangs"), noteJob("done")],
  });
  const worker = await first.worker([noteJob], ports);
  // Does not end: the process "dies" with one job under way, and maybe in the middle of a read.
  worker.drain().catch(() => {});
  await eventually("both ran", () => ran.length === 2);
  const below = { ...accountOf("AC" + "2".repeat(32)), accountSid: "AC" + "1".repeat(32) };
  await first.accounts.insert({ record: below }); // After its job's end.
  first.close();

  const second = await openStore({ ...options, location: file.location });
  await (await second.worker([noteJob], ports)).drain();
  second.close();
  assert.deepEqual(ran.toSorted(), ["done 1", "hangs 1", "hangs 2"]);
});

function accountOf(sid: string): Account {
  return {
    sid,
    accountSid: "",
    dateCreated: 1,
    dateUpdated: 1,
    friendlyName: "root",
    emailAddress: `${sid}@example.com`,
    role: "Administrator",
    status: "active",
    type: "Full",
    authToken: "token",
    ancestors: [],
  };
}
