import { type Condition, matches } from "../core/filters.ts";
import type { AnyRecord } from "../core/resource.ts";
import { sidTime } from "../core/sid.ts";
import { keyText } from "./batch.ts";
import { type Span, wholeBuckets } from "./counters.ts";
import { indexValue, textOf } from "./layout.ts";
import { recordsOf } from "./lookups.ts";
import { type Plan, planOf, type Source } from "./plan.ts";
import { scan } from "./scan.ts";

/** A stretch of a list. */
export interface Part {
  span: Span;
  /** The Sids of what passes, newest first; null where counters tell. */
  sids: string[] | null;
}

/** What was found of a list, part by part, while others write to it. */
export interface Draft {
  where: Condition[];
  plan: Plan;
  /** Newest first. */
  parts: Part[];
  /** Nothing was written since the plan was made. */
  isFresh: boolean;
  /** Something was written that the plan does not foresee. */
  isStale: boolean;
}

/** Plans a list, and scans what counters cannot tell. */
export async function draftOf(source: Source, where: Condition[]): Promise<Draft> {
  const plan = await planOf(source, where);
  const parts = await Promise.all(
    spansOf(plan).map(async ({ span, isEdge }) => {
      if (isCounted(plan, isEdge)) return { span, sids: null };
      const sids: string[] = [];
      const verifies = plan.verifies || isEdge || plan.dated.length > 0;
      for await (const chunk of scan(source, { plan, where, range: { span }, verifies })) {
        for (const { sid } of chunk) sids.push(sid);
      }
      return { span, sids };
    }),
  );
  return { where, plan, parts, isFresh: true, isStale: false };
}

/**
 * The span that surely passes, and around it, where the dates begin and end, the edges: there each
 * record must be looked at.
 */
function spansOf({ maybe, sure, indexes }: Plan): { span: Span; isEdge: boolean }[] {
  const inner = wholeBuckets(sure, indexes[0]!.index.depth);
  const spans = inner.from >= inner.before ? [{ span: maybe, isEdge: true }] : [
    { span: { from: inner.before, before: maybe.before }, isEdge: true },
    { span: inner, isEdge: false },
    { span: { from: maybe.from, before: inner.from }, isEdge: true },
  ];
  return spans.filter(({ span }) => span.from < span.before);
}

const isCounted = ({ indexes, texts, verifies }: Plan, isEdge: boolean): boolean =>
  !isEdge && !verifies && texts.length === 0 && indexes.length === 1;

/**
 * Looks again at records that were written since they were scanned: with those that were not, it then
 * has what passes now. A record that the plan does not foresee makes it stale: one whose date is farther
 * from its Sid's time than any was, or with a value that none had.
 */
export async function catchUp(
  { kv, place, codec }: Source,
  draft: Draft,
  written: ReadonlySet<string>,
): Promise<void> {
  if (written.size === 0) return;
  draft.isFresh = false;
  const { where, plan, parts } = draft;
  const sids = [...written].sort().reverse();
  const entries = await recordsOf(kv, place, { sids, isSparse: true });
  const passed = new Map<Part, string[]>();
  entries.forEach((entry, at) => {
    if (entry === null) return;
    const record = codec.decode(entry);
    const passes = matches(record, where);
    const ms = sidTime(sids[at]!);
    const part = parts.find(({ span }) => ms >= span.from && ms < span.before);
    if (part === undefined || part.sids === null) {
      const counts = part !== undefined && isCountedBy(plan, record);
      draft.isStale ||= passes !== counts;
    } else if (passes) passed.set(part, [...passed.get(part) ?? [], sids[at]!]);
  });
  for (const part of parts) {
    const stay = part.sids?.filter((sid) => !written.has(sid));
    part.sids = stay === undefined ? null : merged(stay, passed.get(part) ?? []);
  }
}

/** Whether the counters of a plan count a record of its span. */
function isCountedBy({ indexes, dated }: Plan, record: AnyRecord): boolean {
  const { field, values } = indexes[0]!.index;
  const value = indexValue(textOf(record, field));
  const isOfValue = field === "" ||
    value !== null && values.some((one) => keyText([one]) === keyText([value]));
  return isOfValue && dated.every((date) => typeof record[date] === "number");
}

/** Sids newest first, out of two such lists. */
function merged(sids: string[], others: string[]): string[] {
  if (others.length === 0) return sids;
  const all: string[] = [];
  let at = 0;
  for (const sid of sids) {
    while (at < others.length && others[at]! > sid) all.push(others[at++]!);
    all.push(sid);
  }
  return all.concat(others.slice(at));
}
