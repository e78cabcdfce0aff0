/**
 * A filtered page is of one moment. A scan may take seconds, and neither repeats nor stops writers: where
 * one process writes, it runs while commits go on, and records that were written meanwhile are looked at
 * again. That look, the counters and the records of the page are read once more when somebody wrote to the
 * list in between; the third time commits to the list wait, each for half a second at most. It costs
 * nothing while nobody writes, and a tenth of the writes beside 2,000 a second.
 *
 * On a shared store everything is read until two readings in a row have met the same versionstamps, which
 * proves a moment between them (`consistent_read.ts`).
 */
import type { Condition } from "../../core/base/filters.ts";
import type { Base } from "../../core/base/record.ts";
import type { Query, Slice } from "../../core/model/store.ts";
import type { AnyRecord } from "../../core/model/resource.ts";
import type { Span } from "../store/counters.ts";
import { countIn, locate, type Located, measure, type Measured, topIn } from "./counts.ts";
import { catchUp, scanList, type ScanResult } from "./scan_list.ts";
import { firstEntries, type Found } from "./entries.ts";
import { indexValue, isWithoutEnd, lackingSome } from "../records/layout.ts";
import { type ListStates, nameOf } from "../cache/list_states.ts";
import { isDearer } from "./lookups.ts";
import { consistentRead } from "./consistent_read.ts";
import type { Source } from "./plan.ts";
import { cacheFor, fewPassed } from "./read_cached.ts";
import { passing } from "./scan.ts";
import type { SidList } from "./sid_list.ts";
import { readDatedRecords, readRecords, type Wanted } from "./read_records.ts";
import { liveUndatedIn } from "./live_undated.ts";
import type { KeyValueStore } from "../store/key_value_store.ts";

/** The most scans of a list whose records get dates outside of its plan. */
const mostScans = 4;

/** The most written records that are read while commits may wait; more are read before. */
const fewWritten = 50;

/** The most rounds of reading written records before commits may wait. */
const mostRounds = 3;

/**
 * One page of a list, newest first, with its exact total. Counters find a page of one index or of
 * all records: it costs the same at any depth of any list. Other lists are scanned. A page shows
 * one moment, also when records are written meanwhile.
 */
export async function list<T extends Base>(
  source: Source,
  { where, ...window }: Query,
): Promise<Slice<T>> {
  const { states, kv, isSteady } = source;
  const read = async (source: Source) =>
    await pageOf(source, await scanList(source, where), window) as Slice<Base> as Slice<T>;
  if (isOfOneValue(source, where)) return await read(source);
  if (states === null) {
    return await consistentRead(kv, (kv) => read({ ...source, kv }), isSteady);
  }
  return await caughtUp(source, states, { where, ...window }) as Slice<Base> as Slice<T>;
}

/**
 * Returns whether the counters of one value suffice for a list: one read gives all of them, of one
 * moment.
 */
const isOfOneValue = (
  { layout: { indexes } }: Source,
  [condition, ...more]: Condition[],
): boolean =>
  condition === undefined || more.length === 0 && condition.op === "equals" &&
    indexes.some(({ field }) => field === condition.field) && indexValue(condition.value) !== null;

/**
 * A page at a moment at which no commit writes to its list. The long scan runs before; the records
 * written meanwhile are read again. So no scan is repeated, and none delays commits.
 */
async function caughtUp(
  source: Source,
  states: ListStates,
  { where, ...window }: Query,
): Promise<Slice<AnyRecord>> {
  const name = nameOf(source.place);
  for (let scans = 1;; scans++) {
    using following = states.following(name);
    const result = await scanList(source, where);
    for (let round = 0; round < mostRounds && following.count > fewWritten; round++) {
      await catchUp(source, result, following.taken());
    }
    const page = await states.consistentRead(name, async () => {
      await catchUp(source, result, following.taken());
      return result.isStale && scans < mostScans ? null : await pageOf(source, result, window);
    });
    if (page !== null) return page;
  }
}

type Window = Omit<Query, "where">;

async function pageOf(
  source: Source,
  result: ScanResult,
  window: Window,
): Promise<Slice<AnyRecord>> {
  const page = { items: [] as AnyRecord[], total: 0 };
  let { skip } = window;
  for (const { span, sids } of result.parts) {
    const ask = { ...window, skip, limit: window.limit - page.items.length };
    const { count, records } = sids === null
      ? await counted(source, result, { span, ...ask })
      : await scanned(source, result, { sids, ...ask });
    page.total += count;
    skip = Math.max(0, skip - count);
    page.items.push(...records);
  }
  return page;
}

/**
 * The share of a part in a page: the number of records that pass, and those that the page shows.
 */
interface Piece {
  count: number;
  records: AnyRecord[];
}

async function scanned(
  source: Source,
  { where }: ScanResult,
  { sids, skip, limit, after }: Window & { sids: SidList },
): Promise<Piece> {
  const passed = after === undefined ? skip : sids.countTo(after);
  const shown = sids.slice(passed, passed + limit).map((sid) => ({ sid }));
  const found = await passing(source, shown, { where, isSparse: true, recalls: true });
  return { count: sids.length, records: found.map(({ record }) => record) };
}

async function counted(
  source: Source,
  result: ScanResult,
  { span, skip, limit, after }: Window & { span: Span },
): Promise<Piece> {
  const { where, plan } = result;
  const { measured, count } = await totalIn(source, result, span);
  if (count === 0 || limit === 0) return { count, records: [] };
  const isSparse = isDearer(plan.all, measured.total);
  const wanted = { where, limit, isSparse };
  if (after !== undefined) {
    const found = { ...wanted, range: { span, after }, skip: 0 };
    return { count, records: await taken(source, measured, found) };
  }
  const located = skip >= count ? null : await locate(source, measured, { span, skip, count });
  if (located === null) return { count, records: [] };
  const isCached = cacheFor(source, measured, { where, skip: located.skip }) !== null;
  const listed = isCached
    ? null
    : await fromOlderEnd(source.kv, measured, { from: span.from, located, limit });
  const range = { span: { from: span.from, before: located.span.before } };
  const older = { from: located.span.from, count: located.count - located.skip };
  const first = listed ? { listed, skip: 0 } : { older, skip: located.skip };
  const found = { ...wanted, range, ...first };
  return { count, records: await taken(source, measured, found) };
}

const taken = (source: Source, measured: Measured, wanted: Wanted): Promise<AnyRecord[]> =>
  measured.index.lacking === undefined
    ? readRecords(source, measured, wanted)
    : readDatedRecords(source, measured, wanted);

/**
 * The entries of a page, read from the older end of the span in which it begins if that skips fewer
 * entries. Those of older spans are read at the same time. Null for any other page.
 */
async function fromOlderEnd(
  kv: KeyValueStore,
  measured: Measured,
  { from, located: { span, skip, count }, limit }: {
    from: number;
    located: Located;
    limit: number;
  },
): Promise<Found[] | null> {
  const { index } = measured;
  const inside = count - skip;
  const isNearer = skip + limit - Math.max(inside, limit) > fewPassed;
  if (!isNearer || index.values.length !== 1 || isWithout(measured)) return null;
  const older = { span: { from, before: span.from } };
  const [oldestFirst, rest] = await Promise.all([
    firstEntries(kv, index, { range: { span }, limit: inside, reverse: false }),
    inside >= limit ? [] : firstEntries(kv, index, { range: older, limit: limit - inside }),
  ]);
  return [...oldestFirst.reverse(), ...rest].slice(0, limit);
}

/** An index, and the number of its entries in a span. */
interface Total {
  measured: Measured;
  count: number;
}

/** The total of a plan in a span. */
async function totalIn(source: Source, result: ScanResult, span: Span): Promise<Total> {
  const measured = await withoutUndated(source, result, span);
  const isWhole = span.from === -Infinity && span.before === Infinity;
  const isKnown = isWhole && measured.excluded === undefined;
  return { measured, count: isKnown ? measured.total : await countIn(source, measured, span) };
}

/** The index of a plan without the records of a span that lack a required date. */
async function withoutUndated(
  source: Source,
  { plan: { indexes: [planned], dated }, isFresh }: ScanResult,
  span: Span,
): Promise<Measured> {
  const measured = isFresh ? planned : await measure(source, planned.index);
  if (dated.length === 0) return measured;
  const { kv, layout } = source;
  const lacking = lackingSome(layout, dated);
  const ofUnderWay = measured.index.field === ""
    ? []
    : lacking.filter((dates) => isWithoutEnd(layout, dates));
  const counted = lacking.filter((dates) => !ofUnderWay.includes(dates));
  const [less, excluded] = await Promise.all([
    counted.length === 0 ? measured : measure(source, { ...measured.index, lacking: counted }),
    ofUnderWay.length === 0
      ? undefined
      : liveUndatedIn(kv, measured, { lacking: ofUnderWay, span }),
  ]);
  const found = topIn(less, span) === topIn(measured, span) ? measured : less;
  return excluded === undefined ? found : { ...found, excluded };
}

/** Returns whether some entries of an index are not counted. */
const isWithout = ({ index, excluded }: Measured): boolean =>
  excluded !== undefined || index.lacking !== undefined;
