import type { Condition } from "../../core/base/filters.ts";
import { calls } from "../../core/model/resources/calls.ts";
import { keptAwake } from "./awake.ts";
import { denseLists } from "./dense_lists.ts";
import { begin, callOf, dayMs, fill, type Filled, log, roll } from "./list_stores.ts";

/**
 * `deno task bench:lists`: the store alone, filled with SIZE calls and TEXTS messages (default a
 * million of each, over 30 days), beside one of a thousand. It measures pages of 50 at any depth,
 * reads, durable writes and searches, and a scan of every record of the same store. Then date
 * filters in a store of UNDATED calls (60,000) of which half lack dates, beside one of as many that
 * all have them. A size of 0 leaves its part out: `SIZE=0 UNDATED=0` measures searches alone. Then
 * lists of DENSE calls ("20000", or several sizes) that were made within one minute. Times are in
 * ms, of pages read from the store: a repeated page without writes in between comes from memory,
 * and only the case that says so measures that. Unless `AWAKE=0`, the processors do not go idle:
 * see `awake.ts`.
 */

const size = Number(Deno.env.get("SIZE") ?? 1_000_000);
const texts = Number(Deno.env.get("TEXTS") ?? size);
const undated = Number(Deno.env.get("UNDATED") ?? 60_000);
const dense = (Deno.env.get("DENSE") ?? "20000").split(" ").map(Number).filter((one) => one > 0);
const smallSize = 1_000;

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

type Collection = "calls" | "messages";

/** A page of 50 records that pass, at a random depth or the first one; cached or not. */
function page(
  { lab }: Filled,
  { of = "calls", where = [], isDeep = false, isKnown = false, cursors = [] }: {
    of?: Collection;
    where?: Condition[];
    isDeep?: boolean;
    isKnown?: boolean;
    cursors?: string[];
  },
): () => Promise<unknown> {
  let [total, asked] = [0, 0];
  return async () => {
    const skip = isDeep ? roll(Math.max(1, Math.floor(total / 50))) * 50 : 0;
    const cursor = cursors.length === 0 ? {} : { after: cursors[roll(cursors.length)]! };
    // Of these lists it means nothing, but the page is of another query than those before.
    const other = isKnown ? {} : { afterText: String(asked++) };
    const query = { where, skip, limit: 51, ...cursor, ...other };
    const slice = await lab.store.records[of].list(lab.accountSid, query);
    total = slice.total;
  };
}

const equals = (field: string, value: string): Condition => ({ field, op: "equals", value });
const from = begin + 10 * dayMs;
const threeDays: Condition = { field: "startTime", op: "between", from, before: from + 3 * dayMs };
const since: Condition = { ...threeDays, from: begin + dayMs, before: Infinity };
const hot = equals("from", "+15550000001");
const rare = equals("from", "+14440000777");
const busy = equals("status", "busy");
const completed = equals("status", "completed");
const has = (value: string): Condition => ({ field: "body", op: "contains", value });

/** Reads, by name; the ratio of these two stores is the purpose of the layout. */
function reads(filled: Filled): Case[] {
  const { lab, sids } = filled;
  const { calls } = lab.store.records;
  const get = () => calls.get(lab.accountSid, sids[roll(sids.length)]!);
  return [
    ["get", 1_000, get],
    ["first page", 200, page(filled, {})],
    ["first page, asked again", 200, page(filled, { isKnown: true })],
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

type Case = [name: string, repeats: number, once: () => Promise<unknown>];

/** Scans of the large store. */
function scans(filled: Filled): Case[] {
  const pattern: Condition = { field: "to", op: "matches", value: "+155500001*" };
  return [
    ["3 days, deep page", 20, page(filled, { where: [threeDays], isDeep: true })],
    ["From=rare and Status=busy", 20, page(filled, { where: [rare, busy] })],
    ["From=hot and Status=busy", 3, page(filled, { where: [hot, busy] })],
    ["From=hot and 3 days", 3, page(filled, { where: [hot, threeDays] })],
    ["To=+155500001*", 5, page(filled, { where: [pattern] })],
    ["naive: look at every record", 1, page(filled, { where: [equals("direction", "x")] })],
  ];
}

/** Searches in the messages of the large store. */
function searches(filled: Filled): Case[] {
  const of = "messages";
  const found = (text: string) => page(filled, { of, where: [has(text)] });
  return [
    ["contains, few hits", 5, found("NEEDLE-")],
    ["contains, no hit", 5, found("nothing like it")],
    ["contains, many hits", 3, found("timeout")],
    ["contains, many hits, deep", 3, page(filled, { of, where: [has("timeout")], isDeep: true })],
  ];
}

/** Date filters, alone and beside another. */
function dated(filled: Filled): Case[] {
  const ended = { ...threeDays, field: "endTime" };
  const both = [{ ...threeDays, before: Infinity }, { ...ended, from: -Infinity }];
  const where = (...conditions: Condition[]) => ({ where: conditions });
  return [
    ["3 days, first page", 100, page(filled, where(threeDays))],
    ["3 days, deep page", 100, page(filled, { ...where(threeDays), isDeep: true })],
    ["ended in 3 days, deep page", 100, page(filled, { ...where(ended), isDeep: true })],
    ["begun after, ended before", 100, page(filled, { where: both, isDeep: true })],
    ["all since a day, deep page", 100, page(filled, { ...where(since), isDeep: true })],
    ["From=hot, all since a day", 50, page(filled, { ...where(hot, since), isDeep: true })],
    ["From=rare, all since a day", 50, page(filled, where(rare, since))],
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

/** Times of the same cases in two stores, and their ratio. */
async function beside(cases: Case[], others: Case[]): Promise<void> {
  for (const [at, [name, repeats, once]] of cases.entries()) {
    const other = others[at]![2];
    await times(10, once);
    await times(10, other);
    const found = [await times(repeats, once), await times(repeats, other)] as const;
    const [median, otherMedian] = [part(found[0], 0.5), part(found[1], 0.5)];
    const ratio = (median / otherMedian).toFixed(2);
    row(name, ms(median), ms(part(found[0], 0.95)), ms(otherMedian), ratio);
  }
}

async function alone(cases: Case[]): Promise<void> {
  for (const [name, repeats, once] of cases) {
    const found = await times(repeats, once);
    row(name, ms(part(found, 0.5)), ms(part(found, 0.95)));
  }
}

await using awake = keptAwake();
log(`${awake.loops} busy loops at priority 19 beside it`);
if (size > 0 || texts > 0) {
  await using large = await fill({ calls: size, texts });
  if (size > 0) {
    await using small = await fill({ calls: smallSize, texts: 0 });
    row("", "median", "p95", `${smallSize}: median`, "ratio");
    await beside(reads(large), reads(small));
    await alone(scans(large));
  }
  if (texts > 0) await alone(searches(large));
  if (size > 0) await writes(large);
}
if (undated > 0) {
  await using half = await fill({ calls: undated, texts: 0, isHalfUndated: true });
  await using none = await fill({ calls: undated, texts: 0 });
  row("", "half undated", "p95", "none: median", "ratio");
  await beside(dated(half), dated(none));
}
for (const one of dense) await denseLists(one);
