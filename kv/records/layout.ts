/**
 * The declared filters of a resource decide what the store keeps beside its records; an index that a
 * program declares and a store lacks is built (`kv/migration/`).
 *
 * Records are ordered by their Sid, which has a time. The store keeps how far a date field ever was from
 * that time: counters answer the inside of a range of dates, records its edges, so a date filter costs
 * milliseconds at any size. Records without a date (calls that wait, or never went out) are counted by time
 * alone and taken off: counting calls under way by each value took 44 % more CPU time to update a call.
 * Beside another filter a date filter costs in proportion to the calls under way in its range.
 *
 * Phone numbers have an order of their own: an entry beside each number holds the fields that filters look
 * at, so a page reads only what it shows; a filter reads every entry, 70 ms for 10,000 numbers. Two large
 * equality filters at once are counted exactly by a scan, which takes seconds at a million records.
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { FilterKind } from "../../core/base/filters.ts";
import type { Base } from "../../core/base/record.ts";
import type { AnyRecord, AnyResource } from "../../core/model/resource.ts";
import type { Depth } from "../store/counters.ts";
import type { IndexValue } from "../store/keys.ts";
import type { KvKey } from "../store/key_value_store.ts";

/** A field with an index, which has an entry for each record with a value in the field. */
export interface IndexedField {
  field: string;
  depth: Depth;
  /** The value of a record's entry; null when it has no entry. */
  valueOf(record: AnyRecord): IndexValue | null;
}

/**
 * A date that lists are filtered by; `isAlways` when every record has it. The last one of a layout
 * is the end: a record without it is under way.
 */
export interface DateField {
  field: string;
  isAlways: boolean;
}

/** The field that lists are sorted by, and further fields that its entries hold. */
export interface SortedField {
  by: string;
  holds: string[];
}

/** The entries that the store keeps beside the records of a resource, by its declared filters. */
export interface Layout {
  /** The first one is the index of all records. */
  indexes: IndexedField[];
  dates: DateField[];
  /** Fields with full-text search. */
  texts: string[];
  /** Absent: lists are newest first. */
  sorted?: SortedField;
}

/** The declarations that a layout follows from, as a store holds them. */
export interface StoredLayout {
  /** Fields that lists are filtered by equality. */
  filters: string[];
  dates: DateField[];
  texts: string[];
  sorted?: SortedField;
  /** Unique fields and groups by name: entries that are looked up in the whole service. */
  global: string[];
}

export const layoutOf = (definition: AnyResource): Layout => layoutFrom(declared(definition));

/** The declarations of a resource, each kind in the order of its names. */
export function declared(definition: AnyResource): StoredLayout {
  const { fields, filters = {}, period, sorted, unique = [] } = definition;
  const { groups = {}, tenantGroups = {} } = definition;
  const isSorted = (field: string) => field === sorted?.by || sorted?.holds.includes(field);
  const kinds = (Object.entries(filters) as [string, FilterKind][])
    .filter(([field]) => !isSorted(field));
  const named = (isText: boolean) =>
    kinds.filter(([, kind]) => (kind === "contains") === isText).map(([field]) => field).sort();
  return {
    filters: named(false),
    dates: [...new Set(period === undefined ? [] : [period.start, period.end])]
      .map((field) => ({ field, isAlways: fields[field]?.isNullable() !== true })),
    texts: named(true),
    ...(sorted && { sorted: { by: sorted.by, holds: [...sorted.holds] } }),
    global: [
      ...unique.map((field: string) => `unique ${field}`),
      ...Object.keys({ ...groups, ...tenantGroups }).map((name) => `group ${name}`),
    ].sort(),
  };
}

export function layoutFrom({ filters, dates, texts, sorted }: StoredLayout): Layout {
  const filtered = filters.map((field) => ({
    field,
    depth: leastDepth(field),
    valueOf: (record: AnyRecord) => indexValue(textOf(record, field)),
  }));
  const undated = {
    field: undatedField,
    depth: leastDepth(undatedField),
    valueOf: (record: AnyRecord) => lackingOf(dates, record) ?? null,
  };
  const isEverUndated = dates.some(({ isAlways }) => !isAlways);
  return {
    indexes: [
      { field: "", depth: leastDepth(""), valueOf: () => "" },
      ...filtered,
      ...(isEverUndated ? [undated] : []),
    ],
    dates,
    texts,
    ...(sorted && { sorted }),
  };
}

/** The dates that a record lacks, as a value of the index; undefined when it has all. */
export function lackingOf(dates: DateField[], record: AnyRecord): string | undefined {
  let lacking: string | undefined;
  for (const { field, isAlways } of dates) {
    if (isAlways || isDate(record[field])) continue;
    lacking = lacking === undefined ? field : `${lacking} ${field}`;
  }
  return lacking;
}

/** Every combination of missing dates with one or more of the wanted ones. */
export const lackingSome = ({ dates }: Layout, wanted: string[]): string[] =>
  dates.reduce<string[][]>(
    (sets, { field, isAlways }) =>
      isAlways ? sets : sets.concat(sets.map((set) => [...set, field])),
    [[]],
  )
    .filter((set) => set.some((field) => wanted.includes(field)))
    .map((set) => set.join(" "));

/** Returns whether the end date is missing: such a record is under way. */
export const isWithoutEnd = ({ dates }: Layout, lacking: string): boolean =>
  lacking.split(" ").at(-1) === dates.at(-1)?.field;

const isDate = (value: unknown): value is number => typeof value === "number";

/** The name of the index of records that lack dates; no record has such a field. */
export const undatedField = "undated";

/** The levels that an index has everywhere. */
export const leastDepth = (field: string): Depth => field === "" || field === undatedField ? 3 : 2;

/**
 * Returns whether a value gets finer counters when it has many entries, by its key. Pages are not
 * found by the counters of records that lack dates.
 */
export const isCountedDeeper = (value: KvKey): boolean =>
  value.length === 4 && value[2] !== undatedField;

/** A field as text, for filters. */
export const textOf = (record: Base, field: string): string =>
  String((record as AnyRecord)[field] ?? "");

/** The longest value that a key holds without hashing, in bytes of UTF-8. */
const keyedBytes = 100;

/** A filter's value as part of a key; null for the empty one, which has no entries. */
export function indexValue(text: string): IndexValue | null {
  if (text === "") return null;
  if (text.length <= keyedBytes / 3 || Buffer.byteLength(text) <= keyedBytes) return text;
  return new Uint8Array(createHash("sha256").update(text).digest().subarray(0, 16));
}

/** A unique name of a layout, by which stores of version 4 and before describe themselves. */
export const layoutName = ({ indexes, dates, texts, sorted }: Layout): string =>
  [
    indexes.map(({ field, depth }) => field + depth),
    dates.map(({ field, isAlways }) => isAlways ? field : `${field}?`),
    texts,
    ...(sorted ? [[`by ${sorted.by}`, ...sorted.holds]] : []),
  ].map((names) => names.toSorted().join(" ")).join("; ");
