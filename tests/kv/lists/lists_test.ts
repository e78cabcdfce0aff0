import assert from "node:assert/strict";
import type { Condition } from "../../../core/base/filters.ts";
import { sliceOf } from "../../../core/model/rest/paging.ts";
import type { Base } from "../../../core/base/record.ts";
import type { Collection, Query } from "../../../core/model/store.ts";
import type { Call } from "../../../core/model/resources/calls.ts";
import type { Notification } from "../../../core/model/resources/notifications.ts";
import { dice, type StoreLab, storeLab } from "../../support/service/store_lab.ts";

const hourMs = 3_600_000;
const statuses = ["queued", "ringing", "completed", "busy"] as const;
const long = "https://app.test/" + "long/".repeat(40);

/** Calls of some days: many of one caller, some that never began, changes and losses. */
async function fillCalls(lab: StoreLab, count: number): Promise<Call[]> {
  const roll = dice(1);
  const made: Call[] = [];
  for (let at = 0; at < count; at++) {
    lab.clock.now += roll(9) === 0 ? roll(hourMs * 8) : roll(20_000);
    const startTime = roll(5) === 0 ? null : lab.clock.now + roll(60_000) - 5_000;
    made.push(lab.call({
      from: roll(3) === 0 ? "+15550000001" : `+1444000${roll(30)}`,
      to: roll(20) === 0 ? `sip:${"x".repeat(120)}${roll(2)}` : `client:${roll(60)}`,
      status: statuses[roll(4)]!,
      startTime,
      endTime: startTime === null || roll(3) === 0 ? null : startTime + roll(4 * hourMs),
      parentCallSid: made.length > 0 && roll(6) === 0 ? made[roll(made.length)]!.sid : null,
    }));
  }
  const { calls } = lab.store.records;
  await Promise.all(made.map((record) => calls.insert({ record })));
  return await Promise.all(
    made.map(async (call, at) =>
      at % 3 > 0 ? call : await calls.update(lab.accountSid, call.sid, (record) => ({
        record: {
          ...record,
          status: statuses[at % 4]!,
          startTime: call.startTime ?? call.dateCreated,
        },
      }))
    ),
  );
}

/** Compares pages of a list, by number and by cursor, with those of all its records. */
async function compare<T extends Base>(
  collection: Collection<T>,
  { accountSid, records, where }: { accountSid: string; records: T[]; where: Condition[] },
): Promise<number> {
  const sorted = records.toSorted((a, b) => a.sid < b.sid ? 1 : -1);
  const { total } = sliceOf(sorted, { where, skip: 0, limit: 0 });
  const windows: Omit<Query, "where">[] = [0, Math.floor(total / 2), total - 3, total + 5]
    .map((skip) => ({ skip: Math.max(0, skip), limit: 11 }));
  const cursors = [sorted[Math.floor(sorted.length / 2)]!, sorted.at(-2)!];
  for (const { sid } of cursors) windows.push({ skip: 0, limit: 11, after: sid });
  for (const window of windows) {
    const query = { where, ...window };
    const got = await collection.list(accountSid, query);
    const wanted = sliceOf(sorted, query);
    const label = JSON.stringify(query);
    assert.equal(got.total, wanted.total, label);
    assert.deepEqual(got.items.map(({ sid }) => sid), wanted.items.map(({ sid }) => sid), label);
  }
  return total;
}

const equals = (field: string, value: string): Condition => ({ field, op: "equals", value });
const fits = (field: string, value: string): Condition => ({ field, op: "matches", value });
const between = (field: string, from: number, before: number): Condition => ({
  field,
  op: "between",
  from,
  before,
});

Deno.test("list() gives the pages that a look at every record gives", async () => {
  using lab = await storeLab();
  const begin = lab.clock.now;
  const records = await fillCalls(lab, 1_500);
  const middle = begin + Math.floor((lab.clock.now - begin) / 2);
  const day = Math.floor(middle / (24 * hourMs)) * 24 * hourMs;
  const parent = records.find(({ parentCallSid }) => parentCallSid !== null)!.parentCallSid!;
  const wheres: Condition[][] = [
    [],
    [equals("from", "+15550000001")],
    [equals("status", "busy")],
    [equals("parentCallSid", parent)],
    [equals("from", "nobody")],
    [equals("to", `sip:${"x".repeat(120)}1`)],
    [equals("callerName", "")],
    [equals("from", "+15550000001"), equals("status", "completed")],
    [equals("from", "+14440001"), equals("status", "completed")],
    [equals("from", "+15550000001"), equals("status", "busy"), equals("to", "client:7")],
    [fits("from", "+1444000*")],
    [fits("from", "+1444*2*")],
    [fits("from", "*1")],
    [fits("from", "nobody*")],
    [fits("from", `${"+".repeat(3_000)}*`)],
    [fits("from", "*")],
    [fits("to", "client:1*")],
    [fits("to", "sip:*1")],
    [fits("from", "+14440001*"), equals("status", "busy")],
    [between("startTime", day, day + 24 * hourMs)],
    [between("startTime", middle, Infinity)],
    [between("startTime", -Infinity, middle)],
    [between("startTime", middle, middle + 1)],
    [between("startTime", middle, middle - 1)],
    [between("endTime", middle, Infinity), between("startTime", -Infinity, middle)],
    [between("startTime", day, day + 24 * hourMs), equals("from", "+15550000001")],
    [between("startTime", day, Infinity), fits("from", "+1444*2*")],
    [between("startTime", day, Infinity), equals("from", "+14440001")],
    [between("dateCreated", day, middle)],
  ];
  let seen = 0;
  for (const where of wheres) {
    seen += await compare(lab.store.records.calls, { ...lab, records, where });
  }
  assert.ok(seen > 5_000, String(seen)); // The conditions are not all about nothing.
});

Deno.test("list() finds the records of a common value also where they lie far apart", async () => {
  using lab = await storeLab();
  const made = Array.from({ length: 700 }, (_, at) => {
    lab.clock.now += 1_000;
    return lab.call({ status: at < 300 || at >= 690 || at % 100 === 0 ? "busy" : "completed" });
  });
  const { calls } = lab.store.records;
  await Promise.all(made.map((record) => calls.insert({ record })));
  const where = [equals("status", "busy")];
  assert.equal(await compare(calls, { ...lab, records: made, where }), 314);
});

Deno.test("list() finds any page of a value with many records of one time", async () => {
  using lab = await storeLab();
  const made = Array.from({ length: 400 }, (_, at) => {
    lab.clock.now += at % 200 === 0 ? 24 * hourMs : 10;
    return lab.call({ from: at % 3 === 0 ? "other" : "often" });
  });
  const { calls } = lab.store.records;
  await Promise.all(made.map((record) => calls.insert({ record })));
  const records = made.toReversed();
  for (const where of [[equals("from", "often")], []]) {
    for (let skip = 0; skip < 410; skip += 7) {
      const query = { where, skip, limit: 11 };
      const [got, wanted] = [await calls.list(lab.accountSid, query), sliceOf(records, query)];
      assert.equal(got.total, wanted.total);
      assert.deepEqual(got.items.map(({ sid }) => sid), wanted.items.map(({ sid }) => sid));
    }
  }
});

/** Notifications whose texts are short, long, in other scripts, and of one that cannot be packed. */
async function fillNotifications(lab: StoreLab, count: number): Promise<Notification[]> {
  const roll = dice(2);
  const words = ["Delivery", "timeout", "ÄRGER", "İstanbul", "日本語", "refused", "a\0b"];
  const made: Notification[] = [];
  for (let at = 0; at < count; at++) {
    lab.clock.now += roll(60_000);
    const filler = "x".repeat(roll(400));
    const record = lab.notification({
      errorCode: 11200 + roll(3),
      messageText: at === 50
        ? "日".repeat(31_000)
        : `${words[roll(7)]} ${filler} ${words[roll(7)]}`,
      requestUrl: roll(2) === 0 ? long : "https://app.test/",
    });
    await lab.store.records.notifications.insert({ record });
    made.push(record);
  }
  return made;
}

const has = (value: string): Condition => ({ field: "messageText", op: "contains", value });

async function compareTexts(lab: StoreLab, records: Notification[]): Promise<void> {
  const middle = records[Math.floor(records.length / 2)]!.dateCreated;
  const wheres = [
    [has("TIMEOUT")],
    [has("ärger")],
    [has("i̇stanbul")],
    [has("日本")],
    [has("日".repeat(20))],
    [has("a\0b")],
    [has("\0d")],
    [has("xx ")],
    [has("nowhere")],
    [has("")],
    [has("timeout"), has("delivery")],
    [has("timeout"), equals("errorCode", "11201")],
    [has("timeout"), equals("requestUrl", long)],
    [has("timeout"), between("messageDate", middle, Infinity)],
  ];
  for (const where of wheres) {
    await compare(lab.store.records.notifications, { ...lab, records, where });
  }
}

Deno.test("list() finds texts, packed or not, changed, removed or late", async () => {
  using lab = await storeLab();
  const { notifications } = lab.store.records;
  const { signal } = new AbortController();
  let records = await fillNotifications(lab, 1_300);
  const late = lab.notification({ messageText: "late timeout" });
  await compareTexts(lab, records);

  lab.clock.now += hourMs;
  await notifications.packTexts(lab.accountSid, signal);
  await compareTexts(lab, records);

  await notifications.insert({ record: late });
  const [changed, removed] = [records[70]!, records[90]!];
  const edited = { ...changed, messageText: "TimeOut now" };
  await notifications.update(lab.accountSid, changed.sid, () => ({ record: edited }));
  await notifications.remove(lab.accountSid, removed.sid);
  records = records.filter((one) => one !== changed && one !== removed).concat(edited, late);
  await compareTexts(lab, records);
});
