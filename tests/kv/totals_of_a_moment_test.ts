import assert from "node:assert/strict";
import type { Condition } from "../../core/filters.ts";
import type { Call } from "../../core/resources/calls.ts";
import { dice, storeFile, type StoreLab, storeLab } from "../support/store_lab.ts";

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

/** Makes and changes calls that never begin, and ends or removes each. */
async function writeOthers(lab: StoreLab, writer: number, isOver: () => boolean): Promise<void> {
  const { calls } = lab.store.records;
  const roll = dice(writer);
  while (!isOver()) {
    lab.clock.now += roll(120_000);
    const status = waiting[roll(3)]!;
    const record = lab.call({ from: `+${roll(2)}`, status, startTime: null, endTime: null });
    await calls.insert({ record });
    const move = (fields: Partial<Call>) =>
      calls.update(lab.accountSid, record.sid, (call) => ({ record: { ...call, ...fields } }));
    await move({ status: waiting[roll(3)]! });
    if (roll(2)) await calls.remove(lab.accountSid, record.sid);
    else await move({ status: "canceled", endTime: lab.clock.now });
  }
}

Deno.test("a total by dates is of one moment, while calls without dates come, change and go", async () => {
  await using file = await storeFile();
  using lab = await storeLab(file.location);
  const { calls } = lab.store.records;
  const since = lab.clock.now;
  await fillBegun(lab);
  const filters: Condition[][] = [
    [],
    [equals("from", "+1")],
    ...waiting.map((status) => [equals("status", status)]),
  ];
  const spans = [{ from: -Infinity, before: Infinity }, { from: since, before: Infinity }];
  const queries = filters.flatMap((filter) =>
    spans.map((span): Condition[] => [{ field: "startTime", op: "between", ...span }, ...filter])
  );
  const totalOf = async (where: Condition[]) =>
    (await calls.list(lab.accountSid, { where, skip: 0, limit: 1 })).total;
  const totals = await Promise.all(queries.map(totalOf));
  assert.equal(totals[0], began);

  let readers = 4;
  const wrong: string[] = [];
  const reading = Array.from({ length: readers }, async (_, reader) => {
    const roll = dice(100 + reader);
    try {
      for (let n = 0; n < 60; n++) {
        const at = roll(queries.length);
        const total = await totalOf(queries[at]!);
        if (total === totals[at]) continue;
        wrong.push(`${total} for ${totals[at]}: ${JSON.stringify(queries[at])}`);
      }
    } finally {
      readers--;
    }
  });
  const writing = Array.from(
    { length: 8 },
    (_, writer) => writeOthers(lab, writer, () => readers === 0),
  );
  await Promise.all([...reading, ...writing]);

  assert.deepEqual(wrong, []);
});
