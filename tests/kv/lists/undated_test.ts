import assert from "node:assert/strict";
import type { Condition } from "../../../core/base/filters.ts";
import { sliceOf } from "../../../core/model/rest/paging.ts";
import type { Query } from "../../../core/model/store.ts";
import type { Call } from "../../../core/model/resources/calls.ts";
import { dice, type StoreLab, storeLab } from "../../support/service/store_lab.ts";

const hourMs = 3_600_000;
const statuses = ["queued", "completed", "busy"] as const;

/**
 * Dates that a call has: all, none while it waits, no end under way, no start if it never went out.
 */
const shapes = ["whole", "waiting", "begun", "never begun"] as const;

function shaped(call: Call, shape: (typeof shapes)[number], waitMs: number): Call {
  const startTime = shape === "whole" || shape === "begun" ? call.dateCreated + waitMs : null;
  const isOver = shape === "whole" || shape === "never begun";
  return { ...call, startTime, endTime: isOver ? call.dateCreated + 2 * waitMs : null };
}

/** Calls of some days in long runs of one shape, then changed and removed by many writers at once. */
async function fillRuns(lab: StoreLab, { runs, seed }: { runs: number; seed: number }) {
  const { calls } = lab.store.records;
  const roll = dice(seed);
  const made: Call[] = [];
  for (let run = 0; run < runs; run++) {
    const shape = shapes[roll(shapes.length)]!;
    const gapMs = [10, 1_000, 60_000, hourMs][roll(4)]!;
    for (let left = 1 + roll(120); left > 0; left--) {
      lab.clock.now += roll(gapMs);
      const from = roll(3) === 0 ? "+15550000001" : `+1444000${roll(10)}`;
      const call = lab.call({ from, to: `client:${roll(20)}`, status: statuses[roll(3)]! });
      made.push(shaped(call, roll(30) === 0 ? "whole" : shape, roll(60_000)));
    }
  }
  await Promise.all(made.map((record) => calls.insert({ record })));
  const after = await Promise.all(made.map(async (call, at) => {
    if (at % 11 === 0) return await calls.remove(lab.accountSid, call.sid);
    if (at % 7 > 0) return call;
    const shape = shapes[roll(shapes.length)]!;
    const status = statuses[roll(3)]!;
    return await calls.update(lab.accountSid, call.sid, (record) => ({
      record: { ...shaped(record, shape, 5_000), status },
    }));
  }));
  return after.filter((call) => call !== undefined).sort((a, b) => a.sid < b.sid ? 1 : -1);
}

const equals = (field: string, value: string): Condition => ({ field, op: "equals", value });
const between = (field: string, from: number, before: number): Condition => ({
  field,
  op: "between",
  from,
  before,
});

async function compare(lab: StoreLab, records: Call[], where: Condition[]): Promise<number> {
  const { total } = sliceOf(records, { where, skip: 0, limit: 0 });
  const windows: Omit<Query, "where">[] = [0, 7, total >> 2, total >> 1, total - 20, total + 1]
    .map((skip) => ({ skip: Math.max(0, skip), limit: 21 }));
  for (const at of [0, records.length >> 2, records.length >> 1]) {
    windows.push({ skip: 0, limit: 21, after: records[at]!.sid });
  }
  for (const window of windows) {
    const query = { where, ...window };
    const wanted = sliceOf(records, query);
    const got = await lab.store.records.calls.list(lab.accountSid, query);
    const label = JSON.stringify(query);
    assert.equal(got.total, wanted.total, label);
    assert.deepEqual(got.items.map(({ sid }) => sid), wanted.items.map(({ sid }) => sid), label);
  }
  return total;
}

for (const seed of [1, 2]) {
  Deno.test(`date filters find the records with dates among long runs without them (${seed})`, async () => {
    using lab = await storeLab();
    const begin = lab.clock.now;
    const records = await fillRuns(lab, { runs: 16, seed });
    const at = (share: number) => begin + Math.floor((lab.clock.now - begin) * share);
    const ranges = [[-Infinity, Infinity], [at(0.2), at(0.8)], [at(0.5), Infinity]];
    const narrowed: Condition[][] = [
      [],
      [equals("from", "+15550000001")],
      [equals("status", "busy")],
      [equals("status", "busy"), equals("from", "+15550000001")],
      [{ field: "from", op: "matches", value: "+1444*" }],
    ];
    let seen = 0;
    for (const [from, before] of ranges as [number, number][]) {
      for (const rest of narrowed) {
        for (const field of ["startTime", "endTime"]) {
          seen += await compare(lab, records, [between(field, from, before), ...rest]);
        }
        const both = [between("startTime", from, Infinity), between("endTime", -Infinity, before)];
        seen += await compare(lab, records, [...rest, ...both]);
      }
    }
    assert.ok(seen > 2_000, String(seen));
  });
}

Deno.test("a date filter finds the few calls of a value among many that wait", async () => {
  using lab = await storeLab();
  const begin = lab.clock.now;
  const made = Array.from({ length: 900 }, (_, at) => {
    lab.clock.now += 5_000;
    const call = lab.call({ from: at % 60 === 0 ? "rare" : "often", status: statuses[at % 3]! });
    return shaped(call, at % 180 === 0 || at % 7 === 0 ? "whole" : shapes[1 + at % 2]!, 100);
  });
  await Promise.all(made.map((record) => lab.store.records.calls.insert({ record })));
  const records = made.toReversed();
  for (const field of ["startTime", "endTime"]) {
    const dated = between(field, begin, lab.clock.now - 60_000);
    assert.ok(await compare(lab, records, [dated, equals("from", "rare")]) > 5);
    await compare(lab, records, [dated, equals("from", "often"), equals("status", "busy")]);
  }
});
