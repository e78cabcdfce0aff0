import assert from "node:assert/strict";
import type { Condition } from "../../../core/base/filters.ts";
import { startKvConnect } from "../../support/service/kv_connect.ts";
import { hookReads } from "../../support/browsers/read_hook.ts";
import { type StoreLab, storeLab } from "../../support/service/store_lab.ts";

const weekMs = 7 * 86_400_000;
const equals = (field: string, value: string): Condition => ({ field, op: "equals", value });

/**
 * Adds a record at the beginning of a list and removes one at its end, before its n-th read. So the
 * list has `size` of them at any moment, or one more. Returns its totals, for each n.
 */
async function totalsAround(
  hook: { beforeRead(atMost: number): Promise<void> },
  { reads, write, total }: { reads: number; write(): Promise<void>; total(): Promise<number> },
): Promise<number[]> {
  const totals: number[] = [];
  for (let n = 1; n <= reads; n++) {
    let read = 0;
    hook.beforeRead = async () => {
      if (++read === n) await write();
    };
    totals.push(await total());
  }
  hook.beforeRead = async () => {};
  return totals;
}

const totalOf = async ({ store, accountSid }: StoreLab, where: Condition[]) =>
  (await store.records.calls.list(accountSid, { where, skip: 0, limit: 0 })).total;

Deno.test("the total of a list of many months is of one moment, with any writes of another instance", async () => {
  await using endpoint = startKvConnect();
  using here = await storeLab(endpoint.url);
  using there = await storeLab(endpoint.url);
  const { calls } = there.store.records;
  const sids: string[] = [];
  const add = async () => {
    there.clock.now += weekMs;
    const record = there.call({});
    sids.push(record.sid);
    await calls.insert({ record });
  };
  for (let week = 0; week < 60; week++) await add();
  const write = async () => {
    await add();
    await calls.remove(there.accountSid, sids.shift()!);
  };

  const totals = await totalsAround(endpoint, { reads: 6, write, total: () => totalOf(here, []) });
  assert.ok(totals.every((total) => total === 60 || total === 61), String(totals));
});

Deno.test("a total of phone numbers by a filter is of one moment, with any writes between the reads", async () => {
  using hook = hookReads();
  using lab = await storeLab();
  const { incomingPhoneNumbers: numbers } = lab.store.records;
  const numberOf = (n: number) => lab.number({ phoneNumber: `${n}`, friendlyName: `${n}` });
  const size = 1_200;
  const all = Array.from({ length: size }, (_, at) => numberOf(5_000 + at));
  await Promise.all(all.map((record) => numbers.insert({ record })));
  let first = 5_000;
  const write = async () => {
    await numbers.insert({ record: numberOf(--first) });
    await numbers.remove(lab.accountSid, all.pop()!.sid);
  };
  const total = async () => {
    const query = { where: [equals("kind", "local")], skip: 0, limit: 0 };
    return (await numbers.list(lab.accountSid, query)).total;
  };

  const totals = await totalsAround(hook, { reads: 6, write, total });
  assert.ok(totals.every((total) => total === size || total === size + 1), String(totals));
});

Deno.test("a scan is not repeated for writes meanwhile, nor does it hold writes back", async () => {
  using hook = hookReads();
  using lab = await storeLab();
  const { calls } = lab.store.records;
  const made = () => {
    lab.clock.now += 1_000;
    return lab.call({ from: "+1", status: "busy" });
  };
  const all = Array.from({ length: 6_000 }, made);
  await Promise.all(all.map((record) => calls.insert({ record })));
  await lab.store.buildIndexes(new AbortController().signal); // Nothing else reads from now on.
  const where = [equals("from", "+1"), equals("status", "busy")];
  let [reads, left, isWriting] = [0, 0, false];
  hook.beforeRead = async () => {
    if (isWriting) return;
    reads++;
    if (left === 0) return;
    isWriting = true;
    left--;
    await calls.remove(lab.accountSid, all.pop()!.sid); // It is done before the scan goes on.
    isWriting = false;
  };
  assert.equal(await totalOf(lab, where), 6_000);
  const quiet = reads;

  [reads, left] = [0, 10];
  assert.equal(await totalOf(lab, where), 5_990);
  assert.ok(quiet > 20 && reads <= quiet + 10, `${reads} after ${quiet}`);
});
