import type { Condition } from "../core/filters.ts";
import type { Base, Query, Slice } from "../core/ports.ts";
import type { AnyRecord } from "../core/resource.ts";
import { type Span, wholeBuckets } from "./counters.ts";
import { countIn, locate, type Located, measure, type Measured, topIn } from "./counts.ts";
import { firstEntries, type Found } from "./entries.ts";
import { isWithoutEnd, lackingSome } from "./layout.ts";
import { nameOf } from "./list_states.ts";
import { isDearer } from "./lookups.ts";
import { atOneMoment } from "./one_moment.ts";
import { type Plan, planOf, type Source } from "./plan.ts";
import { isRemembered } from "./remembered.ts";
import { passing, scan } from "./scan.ts";
import { take, takeDated, type Wanted } from "./take.ts";
import { underWayIn } from "./under_way.ts";

/** A stretch of a list; in the edges of a date filter each record must be looked at. */
interface Part {
  span: Span;
  isEdge: boolean;
}

/** What a part gives to a page: how many pass in it, and those that the page shows. */
interface Piece {
  count: number;
  records: AnyRecord[];
}

/**
 * One page of a list, newest first, with its exact total. One index, or none, is answered by
 * counters: such a page costs the same at any depth of any list. Everything else is scanned.
 */
export async function list<T extends Base>(
  source: Source,
  { where, ...window }: Query,
): Promise<Slice<T>> {
  const plan = await planOf(source, where);
  const page = { items: [] as AnyRecord[], total: 0 };
  let { skip } = window;
  for (const part of partsOf(plan)) {
    const limit = window.limit - page.items.length;
    const ask = { plan, part, where, window: { ...window, skip, limit } };
    const { count, records } = await (isCounted(plan, part) ? counted : scanned)(source, ask);
    page.total += count;
    skip = Math.max(0, skip - count);
    page.items.push(...records);
  }
  return page as Slice<Base> as Slice<T>;
}

/** The span that surely passes, and around it, where the dates begin and end, those to look at. */
function partsOf({ maybe, sure, indexes }: Plan): Part[] {
  const inner = wholeBuckets(sure, indexes[0]!.index.depth);
  const parts = inner.from >= inner.before ? [{ span: maybe, isEdge: true }] : [
    { span: { from: inner.before, before: maybe.before }, isEdge: true },
    { span: inner, isEdge: false },
    { span: { from: maybe.from, before: inner.from }, isEdge: true },
  ];
  return parts.filter(({ span }) => span.from < span.before);
}

const isCounted = ({ indexes, texts, verifies }: Plan, { isEdge }: Part): boolean =>
  !isEdge && !verifies && texts.length === 0 && indexes.length === 1;

interface Ask {
  plan: Plan;
  part: Part;
  where: Condition[];
  window: Omit<Query, "where">;
}

async function counted(
  source: Source,
  { plan, part: { span }, where, window: { skip, limit, after } }: Ask,
): Promise<Piece> {
  const { measured, count } = await totalIn(source, plan, span);
  if (count === 0 || limit === 0) return { count, records: [] };
  const isSparse = isDearer(plan.all, measured.total);
  const wanted = { where, limit, isSparse };
  if (after !== undefined) {
    const found = { ...wanted, range: { span, after }, skip: 0 };
    return { count, records: await taken(source, measured, found) };
  }
  const located = skip >= count ? null : await locate(source, measured, { span, skip, count });
  if (located === null) return { count, records: [] };
  const listed = isRemembered(source, measured, { where, skip: located.skip })
    ? null
    : await fromOlderEnd(source.kv, measured, { from: span.from, located, limit });
  const range = { span: { from: span.from, before: located.span.before } };
  const found = { ...wanted, range, ...(listed ? { listed, skip: 0 } : { skip: located.skip }) };
  return { count, records: await taken(source, measured, found) };
}

const taken = (source: Source, measured: Measured, wanted: Wanted): Promise<AnyRecord[]> =>
  measured.index.lacking === undefined
    ? take(source, measured, wanted)
    : takeDated(source, measured, wanted);

/** Entries that are passed over as quickly as the store is asked for one more list beside another. */
const fewPassed = 10;

/**
 * The entries of a page, read from the older end of the span in which it begins, where fewer are
 * passed over from there; with those of older spans at the same time. Null for any other page.
 */
async function fromOlderEnd(
  kv: Deno.Kv,
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

/** An index, and how many of its entries count in a span. */
interface Total {
  measured: Measured;
  count: number;
}

/** The total of a plan in a span, at one moment. */
async function totalIn(source: Source, plan: Plan, span: Span): Promise<Total> {
  const { indexes: [measured], dated } = plan;
  const isWhole = span.from === -Infinity && span.before === Infinity;
  if (isWhole && dated.length === 0) return { measured: measured!, count: measured!.total };
  const read = async (kv: Deno.Kv) => {
    const from = { ...source, kv };
    const found = await withoutUndated(from, plan, span);
    const isKnown = isWhole && found.gaps === undefined;
    return { measured: found, count: isKnown ? found.total : await countIn(from, found, span) };
  };
  const { states, place, kv } = source;
  if (states === null) return await atOneMoment(kv, read);
  return await states.steady(nameOf(place), () => read(kv));
}

/** The index of a plan, less the records of a span that lack a date they must have. */
async function withoutUndated(
  source: Source,
  { indexes, dated }: Plan,
  span: Span,
): Promise<Measured> {
  const measured = await measure(source, indexes[0]!.index);
  if (dated.length === 0) return measured;
  const { kv, layout } = source;
  const lacking = lackingSome(layout, dated);
  const ofUnderWay = measured.index.field === ""
    ? []
    : lacking.filter((dates) => isWithoutEnd(layout, dates));
  const counted = lacking.filter((dates) => !ofUnderWay.includes(dates));
  const [less, gaps] = await Promise.all([
    counted.length === 0 ? measured : measure(source, { ...measured.index, lacking: counted }),
    ofUnderWay.length === 0 ? undefined : underWayIn(kv, measured, { lacking: ofUnderWay, span }),
  ]);
  const found = topIn(less, span) === topIn(measured, span) ? measured : less;
  return gaps === undefined ? found : { ...found, gaps };
}

/** Whether there are entries of an index that are not counted. */
const isWithout = ({ index, gaps }: Measured): boolean =>
  gaps !== undefined || index.lacking !== undefined;

async function scanned(
  source: Source,
  { plan, part, where, window: { skip, limit, after } }: Ask,
): Promise<Piece> {
  const shown: Found[] = [];
  let count = 0;
  const verifies = plan.verifies || part.isEdge || plan.dated.length > 0;
  for await (const chunk of scan(source, { plan, where, range: part, verifies })) {
    for (const one of chunk) {
      const isBefore = after === undefined ? count < skip : one.sid >= after;
      count++;
      if (!isBefore && shown.length < limit) shown.push(one);
    }
  }
  const { recalls } = source;
  const found = await passing(source, shown, { where, isSparse: true, recalls });
  return { count, records: found.map(({ record }) => record) };
}
