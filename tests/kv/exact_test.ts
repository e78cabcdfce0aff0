import assert from "node:assert/strict";
import { handlers } from "../../core/jobs/mod.ts";
import type { Ports } from "../../core/ports.ts";
import { keys, ordAt } from "../../kv/keys.ts";
import { openStore } from "../../kv/open_store.ts";
import type { PackedTexts } from "../../kv/text_pack.ts";
import { assertExact, churn } from "../support/churn.ts";
import { storeFile, storeLab } from "../support/store_lab.ts";

Deno.test("every counter and index entry is right after many writers created, changed and removed", async () => {
  await using file = await storeFile();
  const { location } = file;
  const lab = await storeLab(location);
  await churn([lab], 3_000);
  lab[Symbol.dispose]();

  using kv = await Deno.openKv(location);
  const { records, counters } = await assertExact(kv);
  assert.ok(records > 500 && counters > 1_000);
});

Deno.test("removeAll() leaves nothing of a resource, and another resource as it was", async () => {
  await using file = await storeFile();
  const { location } = file;
  const lab = await storeLab(location);
  const { calls, notifications } = lab.store.records;
  await churn([lab], 300);
  await notifications.insert({ record: lab.notification({ messageText: "stays" }) });
  await assert.rejects(
    calls.removeAll(lab.accountSid, AbortSignal.abort(new Error("stop"))),
    /stop/,
  );
  await calls.removeAll(lab.accountSid, new AbortController().signal);
  const query = { where: [], skip: 0, limit: 5 };
  assert.deepEqual(await calls.list(lab.accountSid, query), { items: [], total: 0 });
  assert.equal((await notifications.list(lab.accountSid, query)).total, 1);
  lab[Symbol.dispose]();

  using kv = await Deno.openKv(location);
  const left = await Array.fromAsync(kv.list({ prefix: [1n, "CA"] }));
  assert.deepEqual(left, []);
});

Deno.test("a record in a thousand has the texts before it packed, once they are old", async () => {
  await using file = await storeFile();
  const { location } = file;
  const lab = await storeLab(location);
  const { records } = lab.store;
  const ports = { records, now: () => lab.clock.now, log: () => {} } as unknown as Ports;
  const made = Array.from({ length: 200 }, () => lab.notification({ messageText: filler }));
  const asking = { ...lab.notification({}), sid: made.at(-1)!.sid.slice(0, -3) + "c00" };
  for (const record of [...made, asking]) await records.notifications.insert({ record });
  const worker = await lab.store.worker(handlers, ports);

  await worker.drain();
  const place = { account: 1n, prefix: "NO", field: "messageText" };
  lab.clock.now += 11 * 60_000;
  await worker.drain();
  lab[Symbol.dispose]();

  using kv = await Deno.openKv(location);
  const [first] = await Array.fromAsync(
    kv.list<PackedTexts>({ start: keys.texts(place, ordAt(0)), end: keys.stale(place) }),
  );
  assert.equal(first!.value.text.slice(0, filler.length), filler);
  assert.equal(first!.key.at(-1) instanceof Uint8Array, true);
});

const filler = "nothing new ".repeat(40);

Deno.test("openStore() refuses a store of another layout", async () => {
  await using file = await storeFile();
  const { location } = file;
  const open = () => openStore({ location, secretKey: "lab", now: () => 1 });
  const write = async (value: unknown) => {
    using kv = await Deno.openKv(location);
    await kv.set(keys.version, value);
  };
  await write(1);
  await assert.rejects(open(), /^Error: Cannot open the store: its layout is version 1/);
  await write({ version: 2, layouts: { calls: "3 from2" } });
  await assert.rejects(
    open(),
    /^Error: Cannot open the store: its calls are indexed as "3 from2"/,
  );
  await write({ version: 2, layouts: {} });
  (await open()).close();
  (await open()).close();
});
