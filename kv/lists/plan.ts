import { type Condition, fitsPattern } from "../../core/base/filters.ts";
import { Fault } from "../../core/base/faults.ts";
import { limits } from "../../core/base/limits.ts";
import { pascal } from "../../core/base/wire.ts";
import { always, overlap, type Span } from "../store/counters.ts";
import { type Index, measure, type Measured } from "./counts.ts";
import { allOf } from "./entries.ts";
import { type IndexValue, keys, type Place } from "../store/keys.ts";
import { indexValue, type Layout } from "../records/layout.ts";
import type { ListStates } from "../cache/list_states.ts";
import type { IsSteady } from "../cache/page_cache.ts";
import type { CounterSource } from "./read_counters.ts";
import type { RecordCodec } from "../records/record_codec.ts";
import type { RunCache } from "../cache/run_cache.ts";
import type { KvKey, KvU64 } from "../store/key_value_store.ts";

/** The indexes, searches and checks that find the records of a list. */
export interface Plan {
  /** A record passes only with an entry in each; the index with the fewest entries comes first. */
  indexes: [Measured, ...Measured[]];
  /** The number of all records. */
  all: number;
  /** Full-text searches. */
  texts: { field: string; part: string }[];
  /** Fields that must have a date, and may lack it. */
  dated: string[];
  /** True when some conditions must be checked against the record itself. */
  verifies: boolean;
  /** By the time of Sids: no record outside of `maybe` passes; all dates inside of `sure` pass. */
  maybe: Span;
  sure: Span;
}

/** The sources that lists of a store are read from. */
export interface ListSource extends CounterSource {
  /** Only for a store that no other process writes to, as `runs`. */
  states: ListStates | null;
  runs: RunCache | null;
}

/** The store of one resource's records in one account. */
export interface Source extends ListSource {
  place: Place;
  layout: Layout;
  /** Fields whose index is under construction. */
  missing: ReadonlySet<string>;
  codec: RecordCodec;
  /**
   * On a store that other processes write to: returns whether the list is unchanged since its read
   * began.
   */
  isSteady?: IsSteady | undefined;
}

export async function planOf(source: Source, where: Condition[]): Promise<Plan> {
  const all = measure(source, allOf(source.place));
  const draft: Draft = {
    indexes: [],
    texts: [],
    dated: [],
    verifies: false,
    maybe: always,
    sure: always,
  };
  const planning = { plan: draft, all };
  const [measured] = await Promise.all([
    all,
    ...where.map((condition) => addCondition(source, planning, condition)),
  ]);
  const [smallest = measured, ...others] = draft.indexes.sort((a, b) => a.total - b.total);
  const unfinished = where.find(({ field }) => source.missing.has(field));
  if (unfinished !== undefined && smallest.total > limits.scannedWithoutIndex) {
    throw new Fault("unavailable", beingBuilt(unfinished.field));
  }
  return { ...draft, indexes: [smallest, ...others], all: measured.total };
}

const beingBuilt = (field: string): string =>
  `the index of ${pascal(field)} is being built and the list is too long to be read without it; ` +
  "repeat the request later, or filter by another parameter";

/** A plan without its defaults. */
interface Draft extends Omit<Plan, "indexes" | "all"> {
  indexes: Measured[];
}

/** A plan that is being made, and the index of all records. */
interface Planning {
  plan: Draft;
  all: Promise<Measured>;
}

async function addCondition(
  source: Source,
  { plan, all }: Planning,
  condition: Condition,
): Promise<void> {
  switch (condition.op) {
    case "equals": {
      const value = indexValue(condition.value);
      return await addIndex(source, plan, condition.field, value === null ? null : [value]);
    }
    case "oneOf": {
      const values = await valuesInUse(source, condition);
      return await addIndex(source, plan, condition.field, values);
    }
    case "matches": {
      if (fitsPattern("", condition.value)) return;
      const values = await valuesThatFit(source, (await all).total, condition);
      return await addIndex(source, plan, condition.field, values);
    }
    case "contains": {
      const part = condition.value.toLowerCase();
      if (!source.layout.texts.includes(condition.field)) plan.verifies = true;
      else if (part !== "") plan.texts.push({ field: condition.field, part });
      return;
    }
    case "between":
      return await addDates(source, plan, condition);
    case "made":
      plan.maybe = overlap(plan.maybe, condition);
      plan.sure = overlap(plan.sure, condition);
  }
}

/** Narrows a plan to some values of a field; null when an index cannot find them. */
async function addIndex(
  source: Source,
  plan: Draft,
  field: string,
  values: IndexValue[] | null,
): Promise<void> {
  const { place, layout } = source;
  const indexed = layout.indexes.find((index) => index.field === field);
  if (indexed === undefined || values === null) plan.verifies = true;
  else {
    const index: Index = { ...place, field, values, depth: indexed.depth };
    plan.indexes.push(await measure(source, index));
  }
}

/** The values that records have, or else the first: an index of fewer values is read quicker. */
async function valuesInUse(
  source: Source,
  { field, values }: Condition & { op: "oneOf" },
): Promise<IndexValue[] | null> {
  const filed = values.map(indexValue).filter((value) => value !== null);
  if (filed.length < values.length) return null;
  const totals = await Promise.all(filed.map(async (value) => {
    const { total } = await measure(source, { ...source.place, field, values: [value], depth: 2 });
    return total;
  }));
  const used = filed.filter((_, at) => totals[at] !== 0);
  return used.length > 0 ? used : filed.slice(0, 1);
}

async function addDates(
  { kv, place, layout }: Source,
  plan: Draft,
  { field, from, before }: Condition & { op: "between" },
): Promise<void> {
  const date = layout.dates.find((one) => one.field === field);
  if (date === undefined) {
    plan.verifies = true;
    return;
  }
  const { value } = await kv.get<KvU64>(keys.field({ ...place, field }));
  const distance = Number(value?.value ?? 0n);
  plan.maybe = overlap(plan.maybe, { from: from - distance, before: before + distance });
  plan.sure = overlap(plan.sure, { from: from + distance, before: before - distance });
  if (!date.isAlways) plan.dated.push(field);
}

/**
 * The most values that a pattern reads and finds: reading a value costs as much as many records.
 */
const valueBounds = { looked: 2_000, found: 1_000, recordsEach: 5 };

/** The values of a field that fit a pattern; null when checking the records is quicker. */
async function valuesThatFit(
  { kv, place }: Source,
  records: number,
  { field, value: pattern }: { field: string; value: string },
): Promise<string[] | null> {
  const at = { ...place, field };
  const literal = pattern.slice(0, pattern.indexOf("*"));
  const hashed = { start: keys.value(at, new Uint8Array(0)), end: keys.value(at, "") };
  if ((await Array.fromAsync(kv.list(hashed, { limit: 1 }))).length > 0) return null;
  if (indexValue(literal) instanceof Uint8Array) return []; // It would be hashed.
  const end = keys.value(at, `${literal}\u{10ffff}`);
  const most = Math.max(10, Math.min(valueBounds.looked, records / valueBounds.recordsEach));
  const found: string[] = [];
  let start: KvKey = keys.value(at, literal);
  for (let looked = 0; looked < most; looked++) {
    const [next] = await Array.fromAsync(kv.list({ start, end }, { limit: 1 }));
    if (next === undefined) return found;
    const value = next.key[3] as string;
    const hasEntries = next.key[4] instanceof Uint8Array; // Entries come before counters.
    if (hasEntries && fitsPattern(value, pattern)) found.push(value);
    if (found.length > valueBounds.found) return null;
    start = keys.afterValue(at, value);
  }
  return null;
}
