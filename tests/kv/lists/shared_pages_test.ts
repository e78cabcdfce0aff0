import assert from "node:assert/strict";
import type { Query } from "../../../core/model/store.ts";
import { startKvConnect } from "../../support/service/kv_connect.ts";
import { storeLab } from "../../support/service/store_lab.ts";

/** Two instances on one remote store, and the requests for reads that it got. */
async function twoLabs() {
  const endpoint = startKvConnect();
  let reads = 0;
  endpoint.beforeRead = () => {
    reads++;
    return Promise.resolve();
  };
  const [here, there] = [await storeLab(endpoint.url), await storeLab(endpoint.url)];
  // Two clocks that begin alike would make equal Sids.
  there.clock.now += 3_600_000;
  return {
    here,
    there,
    /** The requests for reads that a task makes. */
    async readsOf(task: () => Promise<unknown>): Promise<number> {
      const before = reads;
      await task();
      return reads - before;
    },
    async [Symbol.asyncDispose]() {
      here[Symbol.dispose]();
      there[Symbol.dispose]();
      await endpoint[Symbol.asyncDispose]();
    },
  };
}

const queries: Record<string, Query> = {
  "the first page": { where: [], skip: 0, limit: 5 },
  "a page of one value": {
    where: [{ field: "status", op: "equals", value: "busy" }],
    skip: 0,
    limit: 5,
  },
  "a page of several conditions": {
    where: [
      { field: "status", op: "equals", value: "busy" },
      { field: "from", op: "matches", value: "+1555*" },
      { field: "startTime", op: "between", from: -Infinity, before: Infinity },
    ],
    skip: 2,
    limit: 5,
  },
};

for (const [name, query] of Object.entries(queries)) {
  Deno.test(`${name} is read again once another instance has changed its list, and not before`, async () => {
    await using labs = await twoLabs();
    const { here, there, readsOf } = labs;
    const { accountSid } = here;
    const fields = { from: "+15550000001", status: "busy", startTime: 1, endTime: 2 } as const;
    const make = (lab: typeof here) => lab.store.records.calls.insert({ record: lab.call(fields) });
    const list = () => here.store.records.calls.list(accountSid, query);
    for (let n = 0; n < 12; n++) await make(here);
    const first = await list();
    assert.equal(first.total, 12);

    assert.equal(await readsOf(list), 1, "the version of the list alone");
    assert.deepEqual(await list(), first);

    const made = await make(there);
    const second = await list();
    assert.equal(second.total, 13);
    if (query.skip === 0) assert.equal(second.items[0]!.sid, made.sid);

    await there.store.records.calls.update(accountSid, made.sid, (call) => ({
      record: { ...call, status: "completed" },
    }));
    const third = await list();
    assert.equal(third.total, query.where.length === 0 ? 13 : 12);
    await there.store.records.calls.remove(accountSid, made.sid, (call) => ({ record: call }));
    assert.equal((await list()).total, 12);
  });
}
