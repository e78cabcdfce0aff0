import assert from "node:assert/strict";
import type { Fault } from "../../../core/base/faults.ts";
import { emptyBatch } from "../../../kv/store/batch.ts";
import { committer } from "../../../kv/store/commit.ts";
import { countStore } from "../../support/service/count_store.ts";
import { storeFile, storeLab } from "../../support/service/store_lab.ts";
import { openDenoKv } from "../../../kv/engines/deno_kv.ts";

Deno.test("a store that is closed in order has written the records that no caller waits for", async () => {
  await using file = await storeFile();
  const lab = await storeLab(file.location);
  const calls = Array.from({ length: 3 }, () => lab.call({}));
  for (const record of calls) void lab.store.records.calls.insertSoon({ record });

  await lab.store.settle();
  lab.store.close();

  using again = await storeLab(file.location);
  for (const { accountSid, sid } of calls) {
    assert.equal((await again.store.records.calls.get(accountSid, sid))?.sid, sid);
  }
});

Deno.test("insertSoon() shares the commit of another change, and has none of its own", async () => {
  using lab = await storeLab();
  const { calls } = lab.store.records;
  using counts = countStore();

  const soon = calls.insertSoon({ record: lab.call({}) });
  const other = calls.insert({ record: lab.call({}) });
  await Promise.all([soon, other]);

  assert.equal(counts.commits, 1);
});

Deno.test("insertSoon() rejects for a Sid that is taken, and the change beside it is made", async () => {
  using lab = await storeLab();
  const { calls } = lab.store.records;
  const taken = await calls.insert({ record: lab.call({}) });
  const other = lab.call({});

  const soon = calls.insertSoon({ record: taken });
  await Promise.all([
    calls.insert({ record: other }),
    assert.rejects(soon, ({ fault }: Fault) => fault === "alreadyExists"),
  ]);

  assert.equal((await calls.get(other.accountSid, other.sid))?.sid, other.sid);
});

Deno.test("close() rejects inserts that wait for another commit, and leaves no timer", async () => {
  using kv = await openDenoKv(":memory:");
  const commits = committer(kv, { checks: 100 });
  const later = commits.later(() => Promise.resolve(emptyBatch()));

  commits.close();

  await assert.rejects(later, /the store is closed/);
});

Deno.test("insertSoon() into a store that is closed is rejected at once, and leaves no timer", async () => {
  const { store, call } = await storeLab();
  await store.records.calls.insert({ record: call({}) });
  store.close();

  await assert.rejects(
    store.records.calls.insertSoon({ record: call({}) }),
    ({ kind, message }: Fault) => kind === "unavailable" && /the store is closed/.test(message),
  );
});
