import assert from "node:assert/strict";
import { setImmediate } from "node:timers";
import type { Condition } from "../../../core/base/filters.ts";
import type { Base } from "../../../core/base/record.ts";
import type { Query } from "../../../core/model/store.ts";
import type { Call } from "../../../core/model/resources/calls.ts";
import { withDefaults } from "../../../core/model/resource.ts";
import {
  type IncomingPhoneNumber,
  incomingPhoneNumbers,
} from "../../../core/model/resources/incoming_phone_numbers.ts";
import { dice, type StoreLab, storeLab } from "../../support/service/store_lab.ts";

const from: Condition = { field: "from", op: "equals", value: "+1" };
const busy: Condition = { field: "status", op: "equals", value: "busy" };
const ended: Condition = { field: "endTime", op: "between", from: 0, before: Infinity };
const local: Condition = { field: "kind", op: "equals", value: "local" };

const windows = [[0, 1_000], [0, 3], [2, 5], [40, 1_000]]
  .map(([skip, limit]) => ({ skip: skip!, limit: limit! }));
const callQueries: Query[] = [[], [from], [busy], [ended], [ended, from], [busy, from]]
  .flatMap((where) => windows.map((window) => ({ where, ...window })));
const numberQueries: Query[] = [[], [local]]
  .flatMap((where) => windows.map((window) => ({ where, ...window })));

function numberOf(lab: StoreLab, n: number): IncomingPhoneNumber {
  const base: Base = {
    sid: lab.sid("PN"),
    accountSid: lab.accountSid,
    dateCreated: lab.clock.now,
    dateUpdated: lab.clock.now,
  };
  const capabilities = { voiceCapable: true, smsCapable: true };
  const fields = { friendlyName: `${n}`, phoneNumber: `9${n}`, kind: "local", capabilities };
  return { ...base, ...withDefaults(incomingPhoneNumbers, fields) } as IncomingPhoneNumber;
}

/** Makes, changes and removes calls and numbers, each of which only this writer has. */
async function write(lab: StoreLab, writer: number): Promise<void> {
  const { calls, incomingPhoneNumbers: numbers } = lab.store.records;
  const roll = dice(writer);
  for (let n = 0; n < 25; n++) {
    lab.clock.now += roll(1_000);
    const record = lab.call({ from: `+${roll(2)}`, startTime: null, endTime: null });
    const number = numberOf(lab, writer * 1_000 + n);
    await Promise.all([calls.insert({ record }), numbers.insert({ record: number })]);
    const endTime = lab.clock.now;
    const end = (call: Call): Call => ({ ...call, status: roll(2) ? "busy" : "failed", endTime });
    await calls.update(lab.accountSid, record.sid, (call) => ({ record: end(call) }));
    if (roll(3) > 0) continue;
    await Promise.all([
      calls.remove(lab.accountSid, record.sid),
      numbers.remove(lab.accountSid, number.sid),
    ]);
  }
}

Deno.test("a page has as many records as its total says, while writers change the list", async () => {
  using lab = await storeLab();
  const { calls, incomingPhoneNumbers: numbers } = lab.store.records;
  let writers = 6;
  const writing = Array.from({ length: writers }, async (_, writer) => {
    try {
      await write(lab, writer);
    } finally {
      writers--;
    }
  });
  const read = async (list: typeof calls.list | typeof numbers.list, query: Query) => {
    const { items, total } = await list(lab.accountSid, query);
    const shown = Math.max(0, Math.min(query.limit, total - query.skip));
    assert.equal(items.length, shown, `of ${total} in ${JSON.stringify(query)}`);
    assert.equal(new Set(items.map(({ sid }) => sid)).size, items.length);
    await new Promise(setImmediate); // A page from memory does not yield.
  };
  const reading = Array.from({ length: 4 }, async (_, reader) => {
    const roll = dice(100 + reader);
    while (writers > 0) {
      await read(calls.list, callQueries[roll(callQueries.length)]!);
      await read(numbers.list, numberQueries[roll(numberQueries.length)]!);
    }
  });
  await Promise.all([...writing, ...reading]);

  const everything = { where: [], skip: 0, limit: 1_000 };
  for (const list of [calls.list, numbers.list]) {
    const { items, total } = await list(lab.accountSid, everything);
    assert.ok(total > 50 && items.length === total);
  }
});
