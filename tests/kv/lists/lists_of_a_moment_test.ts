import assert from "node:assert/strict";
import type { Condition } from "../../../core/base/filters.ts";
import { sliceOf } from "../../../core/model/rest/paging.ts";
import type { Query } from "../../../core/model/store.ts";
import type { Call } from "../../../core/model/resources/calls.ts";
import { sidTime } from "../../../core/base/sid.ts";
import { startKvConnect } from "../../support/service/kv_connect.ts";
import { hookReads } from "../../support/browsers/read_hook.ts";
import { dice, storeFile, type StoreLab, storeLab } from "../../support/service/store_lab.ts";

const [minuteMs, hourMs] = [60_000, 3_600_000];
const begin = Date.UTC(2024, 0, 1);
/** Largest distance of dates from the times of Sids at first, and its growth with each write. */
const [distanceMs, fartherMs] = [10 * minuteMs, 10_000];
const range = { from: begin + 2 * hourMs, before: begin + 8 * hourMs };

/** Times of the Sids of calls: around the ends of the range, inside it, and outside. */
const places = [
  { from: range.before - distanceMs, before: range.before + distanceMs },
  { from: range.from - distanceMs, before: range.from + distanceMs },
  { from: range.from + hourMs, before: range.before - hourMs },
  { from: begin, before: begin + 10 * hourMs },
];

const equals = (field: string, value: string): Condition => ({ field, op: "equals", value });
const inRange: Condition = { field: "startTime", op: "between", ...range };
const ended: Condition = { field: "endTime", op: "between", ...range, before: Infinity };
const eitherFrom: Condition = { field: "from", op: "oneOf", values: ["+1", "+2"] };
const busy = equals("status", "busy");
const [one, two] = [equals("from", "+1"), equals("from", "+2")];
const likeTo: Condition = { field: "to", op: "matches", value: "+4*" };
const conditions: Condition[][] = [
  [inRange],
  [inRange, ended],
  [inRange, one],
  [inRange, eitherFrom],
  [inRange, one, busy],
  [ended, two],
  [one, busy],
  [eitherFrom, busy],
  [eitherFrom],
  [likeTo],
  [likeTo, inRange],
];

/** A list of calls, and all states that it had; one after the other writes to it. */
interface Changing {
  /** Each newest first. */
  moments: Call[][];
  /** Number of states that were certainly written. */
  made: number;
  write(): Promise<void>;
}

/** Random fields of a call, with dates within a distance of the time of its Sid. */
function dealt(roll: (end: number) => number, at: number, awayMs: number): Partial<Call> {
  const date = () => roll(5) === 0 ? null : at + (roll(2) ? roll(awayMs) : -roll(awayMs));
  const status = (["busy", "completed", "queued"] as const)[roll(3)]!;
  return {
    from: `+${1 + roll(3)}`,
    to: `+4${roll(4)}`,
    status,
    startTime: date(),
    endTime: status === "queued" ? null : date(),
  };
}

async function changing(lab: StoreLab, seed: number, size: number): Promise<Changing> {
  const { calls } = lab.store.records;
  const roll = dice(seed);
  const dealtAt = (ms: number) => dealt(roll, ms, distanceMs + self.made * fartherMs);

  function make(): Call {
    const { from, before } = places[roll(places.length)]!;
    lab.clock.now = from + roll(before - from);
    return lab.call(dealtAt(lab.clock.now));
  }

  const self: Changing = {
    moments: [],
    made: 0,
    async write() {
      const state = self.moments.at(-1)!;
      const call = state[roll(state.length)]!;
      const kind = self.made % 2 === 0 ? "add" : roll(2) ? "remove" : "change";
      const others = kind === "add" ? state : state.filter((other) => other !== call);
      const next = kind === "add" ? make() : { ...call, ...dealtAt(sidTime(call.sid)) };
      const after = kind === "remove" ? others : [...others, next].sort(newestFirst);
      self.moments.push(after);
      if (kind === "add") await calls.insert({ record: next });
      else if (kind === "remove") await calls.remove(lab.accountSid, call.sid);
      else await calls.update(lab.accountSid, call.sid, () => ({ record: next }));
      self.made++;
    },
  };
  const first = Array.from({ length: size }, make);
  await Promise.all(first.map((record) => calls.insert({ record })));
  self.moments.push(first.sort(newestFirst));
  self.made++;
  return self;
}

const newestFirst = (a: Call, b: Call) => a.sid < b.sid ? 1 : -1;

function dealtQuery(roll: (end: number) => number, { moments }: Changing): Query {
  const where = conditions[roll(conditions.length)]!;
  const window = { where, skip: roll(4) * 10, limit: 1 + roll(20) };
  const state = moments.at(-1)!;
  return roll(4) > 0 ? window : { ...window, skip: 0, after: state[roll(state.length)]!.sid };
}

/** Requests a page; returns the fault if it matches no moment since the request. */
async function wrongIn(lab: StoreLab, list: Changing, query: Query): Promise<string | null> {
  const first = list.made - 1;
  const { items, total } = await lab.store.records.calls.list(lab.accountSid, query);
  const moments = list.moments.slice(first).map((state) => sliceOf(state, query));
  const shown = sidsOf(items);
  if (moments.some((page) => page.total === total && sidsOf(page.items) === shown)) return null;
  const totals = moments.map((page) => page.total).join(", ");
  return `${total} among ${totals}, ${items.length} shown: ${JSON.stringify(query)}`;
}

const sidsOf = (records: Call[]): string => records.map(({ sid }) => sid).join(" ");

/** Has `writes` writes made between the reads of each of some pages; they are wrong of so many. */
async function wrongBetween(
  { here, there, hook, seed }: {
    here: StoreLab;
    there: StoreLab;
    hook: { beforeRead(atMost: number): Promise<void> };
    seed: number;
  },
  { pages, writes, size }: { pages: number; writes: number; size: number },
): Promise<string[]> {
  const list = await changing(there, seed, size);
  const roll = dice(100 + seed);
  let [left, isWriting] = [0, false];
  hook.beforeRead = async () => {
    if (isWriting || left === 0 || roll(3) > 0) return;
    left--;
    isWriting = true;
    await list.write();
    isWriting = false;
  };
  const wrong: string[] = [];
  for (let page = 0; page < pages; page++) {
    left = writes;
    const found = await wrongIn(here, list, dealtQuery(roll, list));
    if (found !== null) wrong.push(found);
  }
  left = 0;
  assert.ok(list.made > pages, String(list.made));
  return wrong;
}

for (const [seed, size] of [[1, 150], [5, 150], [12, 1_500]] as const) {
  Deno.test(`a page and its total are of one moment, with any writes between the reads (${seed})`, async () => {
    using hook = hookReads();
    using lab = await storeLab();
    const stage = { here: lab, there: lab, hook, seed };
    // Two of them are read again for, the next would be held back: by the read that makes it.
    const wrong = await wrongBetween(stage, { pages: 120, writes: 2, size });
    assert.deepEqual(wrong, []);
  });

  Deno.test(`a page and its total are of one moment, with any writes of another instance (${seed})`, async () => {
    await using endpoint = startKvConnect();
    using here = await storeLab(endpoint.url);
    using there = await storeLab(endpoint.url);
    const stage = { here, there, hook: endpoint, seed };
    // Each spoils two readings at most of eight.
    const wrong = await wrongBetween(stage, { pages: 40, writes: 3, size: 150 });
    assert.deepEqual(wrong, []);
  });
}

Deno.test("a page and its total are of one moment, under writes without a pause", async () => {
  await using file = await storeFile();
  using lab = await storeLab(file.location);
  const list = await changing(lab, 7, 2_000);
  let readers = 3;
  const wrong: string[] = [];
  const reading = Array.from({ length: readers }, async (_, reader) => {
    const roll = dice(200 + reader);
    try {
      for (let page = 0; page < 60; page++) {
        const found = await wrongIn(lab, list, dealtQuery(roll, list));
        if (found !== null) wrong.push(found);
      }
    } finally {
      readers--;
    }
  });
  const writing = async () => {
    while (readers > 0) await list.write();
  };
  await Promise.all([...reading, writing()]);

  assert.deepEqual(wrong, []);
});
