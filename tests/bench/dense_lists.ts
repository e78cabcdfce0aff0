import type { Condition } from "../../core/base/filters.ts";
import { shuffled, type StoreLab, storeLab } from "../support/service/store_lab.ts";
import { callOf, fill, type Filled, log, roll } from "./list_stores.ts";

/**
 * Lists that were filled within a minute. Pages of 50 by number are requested once each, in a store
 * that was just opened (cold). So are the pages that continue after the same records by AfterSid.
 * Then the same beside 50 creates a second. Times in ms; the ratio is that of the medians.
 */

const minuteMs = 60_000;
const [pagesEach, pageSize] = [300, 50];
const createsPerSecond = 50;
/** A create counts as made that is in the store so soon after it was due. */
const lateMs = 1_000;

const equals = (field: string, value: string): Condition => ({ field, op: "equals", value });
const lists: [name: string, where: Condition[]][] = [
  ["no filter", []],
  ["Status=completed", [equals("status", "completed")]],
  ["Status=busy", [equals("status", "busy")]],
  ["From=hot", [equals("from", "+15550000001")]],
];

/** Numbers below `end` in a random order, so many at most. */
const someOf = (end: number, most: number): number[] =>
  shuffled(Array(end).keys(), roll).slice(0, most);

/** The times of two kinds of requests, each sorted, that are sent in turn. */
async function timesOf(pairs: [() => Promise<unknown>, () => Promise<unknown>][]) {
  const found: [number[], number[]] = [[], []];
  for (const pair of pairs) {
    for (const [at, ask] of pair.entries()) {
      const startedAt = performance.now();
      await ask();
      found[at]!.push(performance.now() - startedAt);
    }
  }
  for (const times of found) times.sort((a, b) => a - b);
  return found;
}

const share = (found: number[], part: number) => found[Math.floor((found.length - 1) * part)]!;
const ms = (value: number) => value.toFixed(value < 10 ? 2 : 0).padStart(10);

/** Pages by number and, in turn, pages by cursor at other depths of a store that is opened anew. */
async function pages({ location, sids }: Filled, beside: boolean): Promise<void> {
  for (const [name, where] of lists) {
    using lab = await storeLab(location);
    lab.clock.now = Date.now();
    const list = (query: { skip: number; after?: string }) =>
      lab.store.records.calls.list(lab.accountSid, { where, limit: pageSize + 1, ...query });
    const { total } = await list({ skip: 0 });
    const chosen = someOf(Math.floor(total / pageSize), 2 * pagesEach);
    await using creating = beside ? creates(lab) : undefined;
    const pairs = chosen.slice(0, chosen.length / 2).map((page, at) => {
      const other = chosen[chosen.length - 1 - at]! * pageSize;
      const after = sids[Math.max(0, sids.length - 1 - Math.floor(other * sids.length / total))]!;
      return [() => list({ skip: page * pageSize }), () => list({ skip: 0, after })] as const;
    });
    const [byNumber, byCursor] = await timesOf(pairs.map(([one, other]) => [one, other]));
    const made = creating === undefined ? "" : `  ${await creating.share()} of the creates made`;
    log(
      `${name.padEnd(20)}${String(total).padStart(9)}` +
        `${ms(share(byNumber, 0.5))}${ms(share(byNumber, 0.95))}${ms(byNumber.at(-1)!)}` +
        `${ms(share(byCursor, 0.5))}${ms(share(byNumber, 0.5) / share(byCursor, 0.5))}${made}`,
    );
  }
}

/** Creates calls at an even rate until it is disposed of. */
function creates(lab: StoreLab): AsyncDisposable & { share(): Promise<string> } {
  const startedAt = performance.now();
  const everyMs = 1_000 / createsPerSecond;
  let punctual = 0;
  const begun: Promise<void>[] = [];
  const timer = setInterval(() => {
    for (;;) {
      const dueAt = startedAt + (begun.length + 1) * everyMs;
      if (dueAt > performance.now()) return;
      lab.clock.now = Date.now();
      const creating = lab.store.records.calls.insert({ record: callOf(lab) });
      begun.push(creating.then(() => {
        if (performance.now() - dueAt < lateMs) punctual++;
      }));
    }
  }, everyMs / 2);
  const end = async () => {
    clearInterval(timer);
    await Promise.all(begun);
  };
  return {
    async share() {
      await end();
      return `${(100 * punctual / begun.length).toFixed(1)} %`;
    },
    [Symbol.asyncDispose]: end,
  };
}

/** Measures a list of so many calls that were made within a minute. */
export async function denseLists(size: number): Promise<void> {
  await using filled = await fill({ calls: size, texts: 0, spanMs: minuteMs });
  filled.lab[Symbol.dispose]();
  const columns = ["total", "median", "p95", "most", "AfterSid", "ratio"];
  log(
    `${size} within a minute`.padEnd(20) + columns.map((one) => one.padStart(10)).join("").slice(1),
  );
  await pages(filled, false);
  log("beside 50 creates a second");
  await pages(filled, true);
  log(`${(Deno.memoryUsage().rss / 1e6).toFixed(0)} MB of memory`);
}
