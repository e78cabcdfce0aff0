import type { Condition } from "../../core/filters.ts";
import { type Call, calls } from "../../core/resources/calls.ts";
import { dice, type StoreLab, storeLab } from "../support/store_lab.ts";

/**
 * `deno task bench:lists`: the store alone, filled with SIZE calls and TEXTS notifications (default
 * a million of each, over 30 days), beside one of a thousand: pages of 50 at any depth, reads, durable
 * writes and searches, and a scan of every record of the same store. Times are in ms.
 */

const size = Number(Deno.env.get("SIZE") ?? 1_000_000);
const texts = Number(Deno.env.get("TEXTS") ?? size);
const smallSize = 1_000;
const dayMs = 86_400_000;
const begin = Date.UTC(2024, 0, 1);

const log = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(line + "\n"));
const roll = dice(7);
const outcomes = [..."completed ".repeat(7).trim().split(" "), "busy", "failed", "no-answer"];
const words =
  ("delivery timeout refused answer status callback document empty invalid closed reset " +
    "certificate expired host unknown redirect loop body limit verb nested retry later").split(" ");

const callOf = (lab: StoreLab): Call =>
  lab.call({
    from: roll(10) < 3 ? "+15550000001" : `+1444${String(roll(1000)).padStart(7, "0")}`,
    to: `+1555${String(roll(200_000)).padStart(7, "0")}`,
    status: outcomes[roll(10)] as Call["status"],
    parentCallSid: roll(5) === 0 ? "CA" + roll(500_000).toString(16).padStart(32, "0") : null,
    startTime: lab.clock.now + 100,
    endTime: lab.clock.now + 60_000,
    duration: 59,
    url: "https://app.example.org/voice/handle?x=1",
    statusCallback: "https://app.example.org/status",
  });

function textOf(at: number): string {
  const length = 8 + roll(8);
  const text = Array.from({ length }, () => words[roll(words.length)]).join(" ");
  return at % 5_000 === 77 ? `${text} needle-${at}` : text;
}

interface Filled extends AsyncDisposable {
  lab: StoreLab;
  sids: string[];
}

/** Fills a store on disk through its own interface, many at once, so that commits are merged. */
async function fill(count: number): Promise<Filled> {
  const directory = await Deno.makeTempDir({ prefix: "bench-lists-" });
  const lab = await storeLab(`${directory}/store.db`);
  const { records } = lab.store;
  const sids: string[] = [];
  const startedAt = performance.now();
  for (let at = 0; at < count; at += 500) {
    const writes: Promise<unknown>[] = [];
    for (let one = at; one < Math.min(at + 500, count); one++) {
      lab.clock.now = begin + Math.floor(one * 30 * dayMs / count);
      const call = callOf(lab);
      sids.push(call.sid);
      writes.push(records.calls.insert({ record: call }));
      if (one >= texts) continue;
      const record = lab.notification({ messageText: textOf(one), errorCode: 11200 + roll(20) });
      writes.push(records.notifications.insert({ record }));
    }
    await Promise.all(writes);
    if (at % 100_000 === 0 && at > 0) log(`  ${at} of ${count} calls and notifications`);
  }
  const filledS = (performance.now() - startedAt) / 1000;
  lab.clock.now += dayMs;
  const packedAt = performance.now();
  await records.notifications.packTexts(lab.accountSid, new AbortController().signal);
  const packedS = (performance.now() - packedAt) / 1000;
  const { size } = await Deno.stat(`${directory}/store.db`);
  log(
    `filled ${count} calls and ${Math.min(count, texts)} notifications ` +
      `in ${filledS.toFixed(0)} s, packed their texts in ${packedS.toFixed(1)} s, ${
        (size / 1e6).toFixed(0)
      } MB`,
  );
  const remove = () => Deno.remove(directory, { recursive: true });
  return {
    lab,
    sids,
    async [Symbol.asyncDispose]() {
      lab[Symbol.dispose]();
      await remove();
    },
  };
}

/** Times in ms, sorted. */
async function times(repeats: number, once: () => Promise<unknown>): Promise<number[]> {
  const found: number[] = [];
  for (let at = 0; at < repeats; at++) {
    const startedAt = performance.now();
    await once();
    found.push(performance.now() - startedAt);
  }
  return found.toSorted((a, b) => a - b);
}

const part = (found: number[], share: number) => found[Math.floor((found.length - 1) * share)]!;

type Collection = "calls" | "notifications";

/** A page of 50 of what passes, at a random depth or the first one. */
function page(
  { lab }: Filled,
  { of = "calls", where = [], isDeep = false, cursors = [] }: {
    of?: Collection;
    where?: Condition[];
    isDeep?: boolean;
    cursors?: string[];
  },
): () => Promise<unknown> {
  let total = 0;
  return async () => {
    const skip = isDeep ? roll(Math.max(1, Math.floor(total / 50))) * 50 : 0;
    const cursor = cursors.length === 0 ? {} : { after: cursors[roll(cursors.length)]! };
    const query = { where, skip, limit: 51, ...cursor };
    const slice = await lab.store.records[of].list(lab.accountSid, query);
    total = slice.total;
  };
}

const equals = (field: string, value: string): Condition => ({ field, op: "equals", value });
const from = begin + 10 * dayMs;
const threeDays: Condition = { field: "startTime", op: "between", from, before: from + 3 * dayMs };
const hot = equals("from", "+15550000001");
const busy = equals("status", "busy");
const completed = equals("status", "completed");
const has = (value: string): Condition => ({ field: "messageText", op: "contains", value });

/** What is read, by name; the ratio of these two stores is what the layout is for. */
function reads(filled: Filled): [name: string, repeats: number, once: () => Promise<unknown>][] {
  const { lab, sids } = filled;
  const { calls } = lab.store.records;
  const get = () => calls.get(lab.accountSid, sids[roll(sids.length)]!);
  return [
    ["get", 1_000, get],
    ["first page", 200, page(filled, {})],
    ["deep page, no cursor", 300, page(filled, { isDeep: true })],
    ["deep page, AfterSid", 300, page(filled, { cursors: sids })],
    ["From=hot, first page", 200, page(filled, { where: [hot] })],
    ["From=hot, deep page", 300, page(filled, { where: [hot], isDeep: true })],
    ["Status=busy, first page", 200, page(filled, { where: [busy] })],
    ["Status=busy, deep page", 300, page(filled, { where: [busy], isDeep: true })],
    ["Status=completed, first page", 200, page(filled, { where: [completed] })],
    ["Status=completed, deep page", 300, page(filled, { where: [completed], isDeep: true })],
    ["To=one of many, first page", 200, page(filled, { where: [equals("to", "+15550000777")] })],
  ];
}

/** What is scanned, in the large store only. */
function scans(filled: Filled): [name: string, repeats: number, once: () => Promise<unknown>][] {
  const { sids } = filled;
  const last = equals("from", "+14440000777");
  const of = "notifications";
  const pattern: Condition = { field: "to", op: "matches", value: "+155500001*" };
  return [
    ["3 days, deep page", 20, page(filled, { where: [threeDays], isDeep: true })],
    ["From=rare and Status=busy", 20, page(filled, { where: [last, busy] })],
    ["From=hot and Status=busy", 3, page(filled, { where: [hot, busy] })],
    ["From=hot and 3 days", 3, page(filled, { where: [hot, threeDays] })],
    ["To=+155500001*", 5, page(filled, { where: [pattern] })],
    ["contains, few hits", 5, page(filled, { of, where: [has("NEEDLE-")] })],
    ["contains, no hit", 5, page(filled, { of, where: [has("nothing like it")] })],
    ["contains, many hits", 3, page(filled, { of, where: [has("timeout")] })],
    ["contains, by cursor", 3, page(filled, { of, where: [has("needle")], cursors: sids })],
    ["naive: look at every record", 1, page(filled, { where: [equals("direction", "x")] })],
  ];
}

const row = (name: string, ...cells: string[]) =>
  log(name.padEnd(32) + cells.map((cell) => cell.padStart(12)).join(""));
const ms = (value: number) => value.toFixed(value < 10 ? 2 : 0);

/** Writes per second, `width` at once. */
async function rate(width: number, count: number, once: (at: number) => Promise<unknown>) {
  const startedAt = performance.now();
  let next = 0;
  await Promise.all(Array.from({ length: width }, async () => {
    while (next < count) await once(next++);
  }));
  return `${(count * 1000 / (performance.now() - startedAt)).toFixed(0)}/s`;
}

async function writes({ lab, sids }: Filled): Promise<void> {
  const records = lab.store.records.calls;
  const create = () => {
    lab.clock.now += 20;
    const unborn = { status: "queued", startTime: null, endTime: null, duration: null } as const;
    return records.insert({ record: { ...callOf(lab), ...unborn } });
  };
  const statuses = calls.fields.status.options;
  const update = () =>
    records.update(lab.accountSid, sids[roll(sids.length)]!, (record) => ({
      record: { ...record, status: statuses[roll(statuses.length)]! },
    }));
  const beat = { id: "bench", runId: "1", seenAt: 0 };
  row("one durable kv.set", await rate(1, 3_000, () => lab.store.companions.beat(beat)));
  row("create, 1 at a time", await rate(1, 3_000, create));
  row("create, 64 at a time", await rate(64, 10_000, create));
  row("status update, 1 at a time", await rate(1, 3_000, update));
  row("status update, 64 at a time", await rate(64, 10_000, update));
}

await using large = await fill(size);
await using small = await fill(smallSize);
row("", "median", "p95", `${smallSize}: median`, "ratio");
const smallReads = reads(small);
for (const [at, [name, repeats, once]] of reads(large).entries()) {
  await times(10, once);
  await times(10, smallReads[at]![2]);
  const [found, beside] = [await times(repeats, once), await times(repeats, smallReads[at]![2])];
  const medians = [part(found, 0.5), part(beside, 0.5)] as const;
  const ratio = (medians[0] / medians[1]).toFixed(2);
  row(name, ms(medians[0]), ms(part(found, 0.95)), ms(medians[1]), ratio);
}
for (const [name, repeats, once] of scans(large)) {
  const found = await times(repeats, once);
  row(name, ms(part(found, 0.5)), ms(part(found, 0.95)));
}
await writes(large);
