import assert from "node:assert/strict";
import { resources } from "../../../core/model/resources/mod.ts";
import { withDefaults } from "../../../core/model/resource.ts";
import { openStore } from "../../../kv/open_store.ts";
import { storeFile, storeLab } from "../../support/service/store_lab.ts";

const [before, after] = ["the key before", "the key after"];
const { signal } = new AbortController();
const now = () => Date.now();

/** A store in a file with a root account, Clients and an application, sealed with a key. */
async function sealedStore(key: string, clients: number) {
  const file = await storeFile();
  using lab = await storeLab(file.location, key);
  const base = (prefix: string) => ({
    sid: lab.sid(prefix),
    accountSid: lab.accountSid,
    dateCreated: lab.clock.now,
    dateUpdated: lab.clock.now,
  });
  const sids: string[] = [];
  for (let n = 0; n < clients; n++) {
    const own = { login: `client${n}`, password: `password ${n}` };
    const record = { ...base("CL"), ...withDefaults(resources.clients, own) };
    await lab.store.records.clients.insert({ record: record as never });
    sids.push(record.sid);
  }
  const flow = { start: "hello", steps: { hello: { type: "say", text: "hello" } } };
  const own = { friendlyName: "ivr", flow: JSON.stringify(flow) };
  const record = { ...base("AP"), ...withDefaults(resources.applications, own) };
  await lab.store.records.applications.insert({ record: record as never });
  return { ...file, accountSid: lab.accountSid, sids, application: record.sid };
}

Deno.test("reseal() makes every secret readable without the other key", async () => {
  await using file = await sealedStore(before, 30);
  const { location, accountSid, sids } = file;

  const both = await openStore({ location, secretKey: after, otherKey: before, now });
  const first = await both.records.clients.get(accountSid, sids[0]!);
  assert.equal(first?.password, "password 0"); // Also before the pass.
  assert.deepEqual(await both.reseal(signal), { resealed: 32, unopened: 0 });
  assert.deepEqual(await both.reseal(signal), { resealed: 0, unopened: 0 });
  both.close();

  const alone = await openStore({ location, secretKey: after, now });
  const read = await Promise.all(sids.map((sid) => alone.records.clients.get(accountSid, sid)));
  assert.deepEqual(read.map((one) => one?.password), sids.map((_, n) => `password ${n}`));
  assert.equal((await alone.accounts.get(accountSid))?.authToken, "token");
  assert.match(
    String((await alone.records.applications.get(accountSid, file.application))?.flow),
    /hello/,
  );
  const list = await alone.records.clients.list(accountSid, { where: [], skip: 0, limit: 50 });
  assert.deepEqual([list.items.length, list.total], [30, 30]);
  alone.close();
});

Deno.test("reseal() loses no change that is made meanwhile", async () => {
  await using file = await sealedStore(before, 40);
  const { location, accountSid, sids } = file;

  const both = await openStore({ location, secretKey: after, otherKey: before, now });
  const changes = sids.map((sid, n) =>
    both.records.clients.update(accountSid, sid, (record) => ({
      record: { ...record, password: `changed ${n}` },
    }))
  );
  const [done] = await Promise.all([both.reseal(signal), ...changes]);
  assert.equal(done.unopened, 0);
  both.close();

  const alone = await openStore({ location, secretKey: after, now });
  for (const [n, sid] of sids.entries()) {
    assert.equal((await alone.records.clients.get(accountSid, sid))?.password, `changed ${n}`);
  }
  alone.close();
});

Deno.test("reseal() leaves a record that neither key opens, and seals the others", async () => {
  await using file = await sealedStore(before, 3);
  const { location, accountSid, sids } = file;
  const other = await openStore({ location, secretKey: "a third key", otherKey: before, now });
  await other.records.clients.update(accountSid, sids[1]!, (record) => ({
    record: { ...record, password: "sealed by the third" },
  }));
  other.close();

  const lines: unknown[] = [];
  const log = (line: string, fields = {}) => void lines.push({ line, ...fields });
  const both = await openStore({ location, secretKey: after, otherKey: before, now, log });
  assert.deepEqual(await both.reseal(signal), { resealed: 4, unopened: 1 });
  assert.match(JSON.stringify(lines), /Cannot seal a record again.*SECRET_KEY is not the one/);
  await assert.rejects(both.records.clients.get(accountSid, sids[1]!), /SECRET_KEY_OTHER/);
  assert.equal((await both.records.clients.get(accountSid, sids[2]!))?.password, "password 2");
  both.close();
});

Deno.test("reseal() ends when its signal aborts", async () => {
  await using file = await sealedStore(before, 3);
  const both = await openStore({
    location: file.location,
    secretKey: after,
    otherKey: before,
    now,
  });
  await assert.rejects(both.reseal(AbortSignal.abort(new Error("the service stops"))), /stops/);
  both.close();
});
