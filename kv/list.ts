import type { Condition } from "../core/filters.ts";
import type { Base, Query, Slice } from "../core/ports.ts";
import { type Span, wholeBuckets } from "./counters.ts";
import { countIn, type Index, locate } from "./counts.ts";
import { entriesOf, type Found, type Range } from "./entries.ts";
import { type Plan, planOf, type Source } from "./plan.ts";
import { passing, scan } from "./scan.ts";

/** A stretch of a list; in the edges of a date filter each record must be looked at. */
interface Part {
  span: Span;
  isEdge: boolean;
}

/** What a part gives to a page: how many pass in it, and those that the page shows. */
interface Piece<T> {
  count: number;
  found: Found<T>[];
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
  const page: Slice<T> = { items: [], total: 0 };
  let { skip } = window;
  for (const part of partsOf(plan)) {
    const limit = window.limit - page.items.length;
    const ask = { plan, part, where, window: { ...window, skip, limit } };
    const { count, found } = await (isCounted(plan, part) ? counted : scanned)<T>(source, ask);
    page.total += count;
    skip = Math.max(0, skip - count);
    page.items.push(...found.map(({ record }) => record!));
  }
  return page;
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

async function counted<T extends Base>(
  source: Source,
  { plan, part: { span }, where, window: { skip, limit, after } }: Ask,
): Promise<Piece<T>> {
  const { index, total } = plan.indexes[0]!;
  const isWhole = span.from === -Infinity && span.before === Infinity;
  const count = isWhole ? total : await countIn(source.kv, index, span);
  if (after !== undefined) {
    return { count, found: await take<T>(source, { index, where, limit, range: { span, after } }) };
  }
  const place = skip >= count ? null : await locate(source.kv, index, { span, skip, count });
  if (place === null) return { count, found: [] };
  const range = { span: { from: span.from, before: place.before } };
  return { count, found: await take<T>(source, { index, where, limit, range, skip: place.skip }) };
}

/** The first records of an index's range; another takes the place of one that changed meanwhile. */
async function take<T extends Base>(
  source: Source,
  { index, where, range, limit, skip = 0 }: {
    index: Index;
    where: Condition[];
    range: Range;
    limit: number;
    skip?: number;
  },
): Promise<Found<T>[]> {
  if (limit === 0) return [];
  const entries = entriesOf<T>(source.kv, index, { range, limit: skip + limit });
  const listed = await Array.fromAsync(entries);
  const found = await passing(source, listed.slice(skip), { where, isSparse: true });
  const missing = limit - found.length;
  if (missing === 0 || listed.length < skip + limit) return found;
  const rest = { ...range, after: listed.at(-1)!.sid };
  return found.concat(await take<T>(source, { index, where, range: rest, limit: missing }));
}

async function scanned<T extends Base>(
  source: Source,
  { plan, part, where, window: { skip, limit, after } }: Ask,
): Promise<Piece<T>> {
  const shown: Found<T>[] = [];
  let count = 0;
  const verifies = plan.verifies || part.isEdge;
  for await (const one of scan<T>(source, { plan, where, range: part, verifies })) {
    const isBefore = after === undefined ? count < skip : one.sid >= after;
    count++;
    if (!isBefore && shown.length < limit) shown.push(one);
  }
  return { count, found: await passing(source, shown, { where, isSparse: true }) };
}
