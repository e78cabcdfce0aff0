import assert from "node:assert/strict";
import { setImmediate } from "node:timers";
import type { Call } from "../../../core/model/resources/calls.ts";
import { Fault } from "../../../core/base/faults.ts";
import type { Condition } from "../../../core/base/filters.ts";
import type { Query } from "../../../core/model/store.ts";
import { dice, storeFile, type StoreLab, storeLab } from "../../support/service/store_lab.ts";

/** Number of commits that failed before and after they were made. */
const endings = { early: 0, lost: 0 };

/** A pause of up to `ms`. */
const pause = (ms: number) => new Promise<void>((wake) => setTimeout(wake, ms));

/**
 * Makes commits slow to report their success. Some fail, before they are made or after, and their
 * callers cannot tell which.
 */
function unreliableCommits(): Disposable {
  const roll = dice(11);
  const { prototype } = Deno.AtomicOperation;
  const { commit } = prototype;
  prototype.commit = async function () {
    const kind = roll(20);
    if (kind === 0) {
      endings.early++;
      throw new Error("The disk is full");
    }
    const made = await commit.call(this);
    await pause(roll(4));
    if (kind > 1) return made;
    endings.lost++;
    throw new Error("The disk is slow");
  };
  return { [Symbol.dispose]: () => prototype.commit = commit };
}

const statuses = ["queued", "ringing", "in-progress", "completed", "busy"] as const;
const all: Query = { where: [], skip: 0, limit: 1_000 };
const having = (...where: Condition[]): Query => ({ ...all, where });
const withStatus = (value: string): Condition => ({ field: "status", op: "equals", value });
const from: Condition = { field: "from", op: "equals", value: "+1" };

/** Expected state of a call: `price` counts its states. */
interface Known {
  /** The least state that a read must show. */
  least: number;
  /** Its status when no writer is writing it. */
  settled: string | undefined;
  from: string;
  isRemoved: boolean;
  /** True while a write is under way, or when its outcome is unknown. */
  isMoving: boolean;
}

/** Calls by the responses to their writers. */
class Model {
  calls = new Map<string, Known>();
  notices = new Set<string>();

  /** Lower bound of the states that a read that begins now must show. */
  snapshot() {
    return {
      calls: [...this.calls].map(([sid, known]) => ({ sid, known, ...known })),
      notices: [...this.notices],
    };
  }

  /** Once a state is shown, all later reads must show it or a newer one. */
  shown(sid: string, state: number): void {
    const known = this.calls.get(sid);
    if (known !== undefined) known.least = Math.max(known.least, state);
  }
}

type Snapshot = ReturnType<Model["snapshot"]>;

const stateOf = (call: Call): number => call.duration!;

/** Compares a list with the model before the request, and with the model now. */
function checkCalls(before: Snapshot, query: Query, calls: Call[]): void {
  const shown = new Map(calls.map((call) => [call.sid, call]));
  const [status] = query.where.filter(({ field }) => field === "status");
  const [caller] = query.where.filter(({ field }) => field === "from");
  for (const { sid, known, ...was } of before.calls) {
    const call = shown.get(sid);
    if (was.isRemoved) assert.equal(call, undefined, `${sid} was removed`);
    if (call !== undefined) assert.ok(stateOf(call) >= was.least, `${sid} is shown as it was`);
    // A call that was not written from before the read until after it is exactly where it belongs.
    if (was.isMoving || known.isMoving || known.isRemoved || known.least !== was.least) continue;
    const isMeant =
      (status === undefined || status.op === "equals" && status.value === was.settled) &&
      (caller === undefined || was.from === "+1");
    assert.equal(
      call !== undefined,
      isMeant,
      `${sid} is ${was.settled}, in ${JSON.stringify(query)}`,
    );
  }
}

/** Writes calls in every way, and notes the responses. */
async function write(lab: StoreLab, model: Model, roll: (end: number) => number): Promise<void> {
  const { calls } = lab.store.records;
  const pick = () => [...model.calls.keys()][roll(model.calls.size)]!;
  const kind = roll(12);
  lab.clock.now += roll(60_000);
  if (kind < 4 || model.calls.size < 10) {
    const record = lab.call({
      from: `+${roll(3)}`,
      status: "queued",
      duration: 1,
      startTime: null,
    });
    const known = { least: 0, settled: undefined, from: record.from, isRemoved: false };
    model.calls.set(record.sid, { ...known, isMoving: false });
    await settle(model, record.sid, async () => {
      await calls.insert({ record });
      return record;
    });
  } else if (kind < 11) {
    const sid = pick();
    const notice = lab.notification({ callSid: sid });
    const also = kind < 6 ? { also: [{ into: "notifications", record: notice } as const] } : {};
    await settle(model, sid, async () => {
      const status = statuses[roll(5)]!;
      const move = (call: Call) => ({
        record: { ...call, status, duration: stateOf(call) + 1 },
        ...also,
      });
      return await calls.update(lab.accountSid, sid, move);
    }, () => also.also && model.notices.add(notice.sid));
  } else {
    const sid = pick();
    await settle(model, sid, async () => await calls.remove(lab.accountSid, sid));
  }
}

/** Does one write of a call at a time, and notes its end. */
async function settle(
  model: Model,
  sid: string,
  make: () => Promise<Call | void>,
  made = () => {},
): Promise<void> {
  const known = model.calls.get(sid)!;
  if (known.isMoving) return; // Another writer has it.
  known.isMoving = true;
  try {
    const record = await make();
    if (record) Object.assign(known, { least: stateOf(record), settled: record.status });
    else known.isRemoved = true;
    known.isMoving = false;
    made();
  } catch (error) {
    // Its outcome is unknown: it counts as moving. A further attempt may find the first one's
    // record. If that created a notice, no attempt can create it again: it is then "unavailable".
    const found = ["notFound", "alreadyExists", "unavailable"];
    const isFault = error instanceof Fault && found.includes(error.fault);
    if (!isFault) assert.match(String(error), /The disk/);
  }
}

async function read(lab: StoreLab, model: Model, roll: (end: number) => number): Promise<void> {
  const { calls, notifications } = lab.store.records;
  const before = model.snapshot();
  const kind = roll(10);
  if (kind === 0) {
    const { sid } = before.calls[roll(before.calls.length)] ?? {};
    const call = sid && await calls.get(lab.accountSid, sid);
    if (call) model.shown(call.sid, stateOf(call));
  } else if (kind < 3) {
    const { items } = await notifications.list(lab.accountSid, all);
    const sids = new Set(items.map(({ sid }) => sid));
    for (const sid of before.notices) assert.ok(sids.has(sid), `${sid} is missing`);
  } else {
    const query = [
      all,
      having(from),
      ...statuses.map((value) => having(withStatus(value))),
    ][kind - 3]!;
    const { items } = await calls.list(lab.accountSid, query);
    checkCalls(before, query, items);
    for (const call of items) model.shown(call.sid, stateOf(call));
  }
}

/** Writers and readers at once; the readers stop when the writers have. */
async function churn(lab: StoreLab, model: Model): Promise<void> {
  const [roll, readerRoll] = [dice(5), dice(6)];
  let writers = 6;
  const writing = Array.from({ length: writers }, async () => {
    try {
      for (let at = 0; at < 60; at++) {
        await write(lab, model, roll);
        await pause(roll(30));
      }
    } finally {
      writers--;
    }
  });
  const reading = Array.from({ length: 4 }, async () => {
    while (writers > 0) {
      await read(lab, model, readerRoll);
      await new Promise(setImmediate); // A page from memory lets no other task run.
    }
  });
  await Promise.all([...writing, ...reading]);
}

Deno.test("a list never shows less than an earlier response has shown", async () => {
  await using file = await storeFile();
  using lab = await storeLab(file.location);
  const model = new Model();
  {
    using _ = unreliableCommits();
    await churn(lab, model);
  }
  assert.ok(endings.early > 0 && endings.lost > 0, "Some commits fail, before and after");

  const { calls } = lab.store.records;
  const pages = [all, having(from), having(withStatus("busy"))];
  for (const query of pages) {
    await calls.list(lab.accountSid, query);
    const kept = await calls.list(lab.accountSid, query);
    const { items } = await calls.list(lab.accountSid, query);
    assert.ok(
      items.every((record, at) => record === kept.items[at]),
      "Records are kept in memory here",
    );
    checkCalls(model.snapshot(), query, kept.items);
    assert.equal(kept.total, kept.items.length);
  }
  while (await calls.removeOld(lab.accountSid, lab.clock.now + 1) > 0);
  for (const query of pages) assert.equal((await calls.list(lab.accountSid, query)).total, 0);
});
