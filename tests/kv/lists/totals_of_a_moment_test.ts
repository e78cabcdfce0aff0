import assert from "node:assert/strict";
import type { Condition } from "../../../core/base/filters.ts";
import type { Call } from "../../../core/model/resources/calls.ts";
import { startKvConnect } from "../../support/service/kv_connect.ts";
import { dice, storeFile, type StoreLab, storeLab } from "../../support/service/store_lab.ts";

const equals = (field: string, value: string): Condition => ({ field, op: "equals", value });
const waiting = ["queued", "ringing", "in-progress"] as const;
const began = 40;

/** Calls that have begun, and stay as they are while others come and go. */
async function fillBegun(lab: StoreLab): Promise<void> {
  const { calls } = lab.store.records;
  const roll = dice(3);
  for (let n = 0; n < began; n++) {
    lab.clock.now += roll(3_600_000);
    const startTime = lab.clock.now;
    const fields = { from: `+${n % 2}`, status: waiting[n % 3]!, startTime };
    await calls.insert({ record: lab.call(fields) });
  }
}

/** Makes and changes calls that never begin, and ends or removes each: a write at each step. */
async function* writesOfOthers(lab: StoreLab, seed: number): AsyncGenerator<void> {
  const { calls } = lab.store.records;
  const roll = dice(seed);
  while (true) {
    lab.clock.now += roll(120_000);
    const status = waiting[roll(3)]!;
    const record = lab.call({ from: `+${roll(2)}`, status, startTime: null, endTime: null });
    yield void await calls.insert({ record });
    const move = (fields: Partial<Call>) =>
      calls.update(lab.accountSid, record.sid, (call) => ({ record: { ...call, ...fields } }));
    yield void await move({ status: waiting[roll(3)]! });
    if (roll(2)) yield await calls.remove(lab.accountSid, record.sid);
    else yield void await move({ status: "canceled", endTime: lab.clock.now });
  }
}

/** Conditions by dates alone and beside others, which calls that never begin do not fulfil. */
function queriesSince(since: number): Condition[][] {
  const filters: Condition[][] = [
    [],
    [equals("from", "+1")],
    ...waiting.map((status) => [equals("status", status)]),
  ];
  const spans = [{ from: -Infinity, before: Infinity }, { from: since, before: Infinity }];
  return filters.flatMap((filter) =>
    spans.map((span): Condition[] => [{ field: "startTime", op: "between", ...span }, ...filter])
  );
}

const totalIn = async ({ store, accountSid }: StoreLab, where: Condition[]) =>
  (await store.records.calls.list(accountSid, { where, skip: 0, limit: 1 })).total;

Deno.test("a total by dates is of one moment, while calls without dates come, change and go", async () => {
  await using file = await storeFile();
  using lab = await storeLab(file.location);
  const queries = queriesSince(lab.clock.now);
  await fillBegun(lab);
  const totals = await Promise.all(queries.map((where) => totalIn(lab, where)));
  assert.equal(totals[0], began);

  let readers = 4;
  const wrong: string[] = [];
  const reading = Array.from({ length: readers }, async (_, reader) => {
    const roll = dice(100 + reader);
    try {
      for (let n = 0; n < 60; n++) {
        const at = roll(queries.length);
        const total = await totalIn(lab, queries[at]!);
        if (total === totals[at]) continue;
        wrong.push(`${total} for ${totals[at]}: ${JSON.stringify(queries[at])}`);
      }
    } finally {
      readers--;
    }
  });
  const writing = Array.from({ length: 8 }, async (_, writer) => {
    for await (const _ of writesOfOthers(lab, writer)) if (readers === 0) return;
  });
  await Promise.all([...reading, ...writing]);

  assert.deepEqual(wrong, []);
});

for (const seed of [1, 2]) {
  Deno.test(`a total by dates is of one moment, while another instance writes between its reads (${seed})`, async () => {
    await using endpoint = startKvConnect();
    using here = await storeLab(endpoint.url);
    using there = await storeLab(endpoint.url);
    const queries = queriesSince(there.clock.now);
    await fillBegun(there);
    const totals = await Promise.all(queries.map((where) => totalIn(here, where)));
    assert.equal(totals[0], began);
    const [roll, writes] = [dice(seed), writesOfOthers(there, seed)];
    let [left, isWriting, written] = [0, false, 0];
    endpoint.beforeRead = async () => {
      if (isWriting || left === 0 || roll(4) > 0) return;
      isWriting = true;
      left--;
      written++;
      await writes.next();
      isWriting = false;
    };

    const wrong: string[] = [];
    for (let n = 0; n < 30; n++) {
      left = 3; // Each spoils two readings at most: they leave one of the pairs whole.
      const at = roll(queries.length);
      const total = await totalIn(here, queries[at]!);
      if (total === totals[at]) continue;
      wrong.push(`${total} for ${totals[at]}: ${JSON.stringify(queries[at])}`);
    }
    await writes.return(undefined);

    assert.deepEqual(wrong, []);
    assert.ok(written > 30, String(written));
  });
}
