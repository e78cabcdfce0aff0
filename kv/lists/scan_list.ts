import { type Condition, matches } from "../../core/base/filters.ts";
import type { AnyRecord } from "../../core/model/resource.ts";
import { sidTime } from "../../core/base/sid.ts";
import { keyText } from "../store/batch.ts";
import { type Span, wholeBuckets } from "../store/counters.ts";
import { readAtOnce } from "./entries.ts";
import { indexValue, textOf } from "../records/layout.ts";
import { recordsOf } from "./lookups.ts";
import { type Plan, planOf, type Source } from "./plan.ts";
import { scan } from "./scan.ts";
import { sidOf } from "../store/keys.ts";
import { type SidList, sidList } from "./sid_list.ts";

/** A span of a list. */
export interface Part {
  span: Span;
  /** The Sids of the records that pass; null where counters suffice. */
  sids: SidList | null;
}

/** The result of a scan in steps, while other records are written. */
export interface ScanResult {
  where: Condition[];
  plan: Plan;
  /** Newest first. */
  parts: Part[];
  /** No record was written since the plan was made. */
  isFresh: boolean;
  /** A record was written whose dates are outside of the plan. */
  isStale: boolean;
}

/** Plans a list, and scans the ranges that counters cannot answer. */
export async function scanList(source: Source, where: Condition[]): Promise<ScanResult> {
  const plan = await planOf(source, where);
  const parts = await Promise.all(
    spansOf(plan).map(async ({ span, isEdge }) => {
      if (isCounted(plan, isEdge)) return { span, sids: null };
      const sids = sidList(source.place.prefix);
      const verifies = plan.verifies || isEdge || plan.dated.length > 0;
      for await (const chunk of scan(source, { plan, where, range: { span }, verifies })) {
        sids.append(chunk.map(({ sid }) => sid));
      }
      return { span, sids };
    }),
  );
  return { where, plan, parts, isFresh: true, isStale: false };
}

/** The span in which all dates pass, and the edges around it: there each record must be read. */
function spansOf({ maybe, sure, indexes }: Plan): { span: Span; isEdge: boolean }[] {
  const inner = wholeBuckets(sure, indexes[0].index.depth);
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
 * Reads the records that were written since the scan again, so that the result has the records that
 * pass now. A record outside of the plan makes the result stale: one whose date is farther from its
 * Sid's time than those of all others. A new value of a field is counted from now on.
 */
export async function catchUp(
  source: Source,
  result: ScanResult,
  written: ReadonlySet<string>,
): Promise<void> {
  if (written.size === 0) return;
  result.isFresh = false;
  const sids = [...written].sort().reverse();
  const passing = new Set<string>();
  for (let at = 0; at < sids.length; at += readAtOnce) {
    await lookAgain(source, result, sids.slice(at, at + readAtOnce), passing);
  }
  for (const part of result.parts) {
    part.sids?.settle(sids.filter((sid) => partOf([part], sid) !== undefined), passing);
  }
}

const partOf = (parts: Part[], sid: string): Part | undefined => {
  const ms = sidTime(sid);
  return parts.find(({ span }) => ms >= span.from && ms < span.before);
};

/** Adds the Sids whose records pass now to `passing`. */
async function lookAgain(
  { kv, place, codec }: Source,
  result: ScanResult,
  sids: string[],
  passing: Set<string>,
): Promise<void> {
  const { where, plan, parts } = result;
  const entries = await recordsOf(kv, place, { sids, isSparse: true });
  entries.forEach((entry) => {
    if (entry === null) return;
    const sid = sidOf(place.prefix, entry.key);
    const record = codec.decode(entry);
    const passes = matches(record, where);
    if (passes) passing.add(sid);
    const part = partOf(parts, sid);
    if (part === undefined) result.isStale ||= passes;
    else if (part.sids === null) result.isStale ||= passes !== isCountedBy(plan, record, passes);
  });
}

/**
 * Returns whether the counters of a plan count a record of its span. Adds the value of one that
 * passes.
 */
function isCountedBy({ indexes, dated }: Plan, record: AnyRecord, passes: boolean): boolean {
  const { field, values } = indexes[0].index;
  const value = indexValue(textOf(record, field));
  const isOfValue = field === "" ||
    value !== null && values.some((one) => keyText([one]) === keyText([value]));
  // No record had the value when the plan was made, or the plan would have it.
  if (passes && !isOfValue && value !== null) values.push(value);
  return (isOfValue || passes) && dated.every((date) => typeof record[date] === "number");
}
