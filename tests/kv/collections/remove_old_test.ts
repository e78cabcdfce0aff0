import assert from "node:assert/strict";
import { limits } from "../../../core/base/limits.ts";
import type { Base } from "../../../core/base/record.ts";
import { removeOldRecords } from "../../../core/usage/remove_old.ts";
import { openStore } from "../../../kv/open_store.ts";
import { type App, startApp } from "../../support/service/app.ts";
import { samples } from "../../support/service/samples.ts";
import { openDenoKv } from "../../../kv/engines/deno_kv.ts";

const day = 86_400_000;

/** Makes deliveries of calls of their own. */
async function deliver(app: App, count: number, accountSid = app.root.sid): Promise<void> {
  const now = app.ports.now();
  await Promise.all(Array.from({ length: count }, (_, n) => {
    const sid = app.ports.newSid("WD");
    const base: Base = { sid, accountSid, dateCreated: now, dateUpdated: now };
    const own = { startTime: now, callSid: `CA${sid.slice(2)}` };
    const record = { ...samples.deliveries.record!(n % 3), ...own, ...base };
    return app.ports.records.deliveries.insert({ record: record as never });
  }));
}

const totals = async (app: App, queries: string[]): Promise<number[]> =>
  await Promise.all(
    queries.map(async (query) =>
      (await app.root.get(`Webhooks/Deliveries.json?${query}`)).json().total
    ),
  );

Deno.test("removeOldRecords() removes records past their retention, and counts stay exact", async () => {
  using app = await startApp();
  const child = await app.subAccount(app.root, "child");
  await deliver(app, 250);
  await deliver(app, 3, child.sid);
  app.clock.now += 29 * day;
  await deliver(app, 5);
  const { signal } = new AbortController();

  await removeOldRecords(app.ports, signal);
  const queries = ["", "Status=delivered", "Url=https%3A%2F%2Fapp.test%2Fevents%2F1"];
  assert.deepEqual(await totals(app, queries), [255, 255, 85]);
  app.clock.now += 1.5 * day;
  await removeOldRecords(app.ports, signal);

  assert.deepEqual(await totals(app, queries), [5, 5, 2]);
  const { deliveries } = (await app.root.get("Webhooks/Deliveries.json")).json();
  assert.equal(deliveries.length, 5);
  assert.equal((await child.get("Webhooks/Deliveries.json")).json().total, 0);
});

Deno.test("removeOldRecords() keeps queued deliveries of any age until they are sent", async () => {
  using app = await startApp({ madeUpWebhooks: true });
  const url = "https://app.test/events";
  await deliver(app, 120);
  app.answers = () => new Response(null, { status: 204 });
  const { deliveries } = (await app.root.get("Webhooks/Deliveries.json?PageSize=1000")).json();
  const replayed = deliveries.slice(0, 110).map(({ sid }: { sid: string }) => sid);
  app.clock.now += 31 * day;
  for (const sid of replayed) {
    await app.root.post(`Webhooks/Deliveries/${sid}.json`, { Replay: "true" });
  }
  const { signal } = new AbortController();

  await removeOldRecords(app.ports, signal);
  assert.deepEqual(await totals(app, ["", "Status=queued"]), [110, 110]);
  await app.runJobs();
  assert.deepEqual(await totals(app, ["", "Status=delivered"]), [110, 110]);
  assert.equal(app.fetched.filter((one) => one.url.startsWith(url)).length, 110);
  await removeOldRecords(app.ports, signal);

  assert.deepEqual(await totals(app, [""]), [0]);
});

Deno.test("removeOld() leaves no key of a removed record behind", async () => {
  const path = await Deno.makeTempFile();
  const store = await openStore({ location: path, secretKey: "x", now: () => Date.now() });
  {
    using app = await startApp({ ports: { records: store.records } });
    const account = await app.ports.accounts.get(app.root.sid);
    await store.accounts.insert({ record: account! });
    await deliver(app, limits.removedAtOnce + 5);
    const remove = () => store.records.deliveries.removeOld(app.root.sid, Infinity);
    assert.equal(await remove(), limits.removedAtOnce);
    assert.equal(await remove(), 5);
  }
  store.close();

  const kv = await openDenoKv(path);
  const left = await Array.fromAsync(kv.list({ prefix: [1n, "WD"] }));
  kv.close();
  await Deno.remove(path);
  for (const end of ["-shm", "-wal", ".lock"]) await Deno.remove(path + end).catch(() => {});
  const counters = left.filter(({ key }) => typeof key.at(-1) === "bigint");
  assert.deepEqual(counters.map(({ key }) => key), []);
  // The distance of dates from the Sids is a property of the field, and stays.
  assert.deepEqual(left.map(({ key }) => key).filter((key) => key.length !== 3), []);
});
