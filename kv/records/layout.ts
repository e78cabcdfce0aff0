import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { FilterKind } from "../../core/base/filters.ts";
import type { Base } from "../../core/base/record.ts";
import type { AnyRecord, AnyResource } from "../../core/model/resource.ts";
import type { Depth } from "../store/counters.ts";
import type { IndexValue } from "../store/keys.ts";

/** A field with an index: its entries are the records that have a value in it. */
export interface IndexedField {
  field: string;
  depth: Depth;
  /** What a record's entry is filed under; null when it has none. */
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

/** The field whose order lists are in, and what its entries hold beside it. */
export interface SortedField {
  by: string;
  holds: string[];
}

/** What the store keeps of a resource beside its records; it follows from the declared filters. */
export interface Layout {
  /** The first is of all records. */
  indexes: IndexedField[];
  dates: DateField[];
  /** Fields that are searched for a part of their text. */
  texts: string[];
  /** Without it lists are newest first. */
  sorted?: SortedField;
}

export function layoutOf({ fields, filters = {}, period, sorted }: AnyResource): Layout {
  const isSorted = (field: string) => field === sorted?.by || sorted?.holds.includes(field);
  const kinds = (Object.entries(filters) as [string, FilterKind][])
    .filter(([field]) => !isSorted(field));
  const filtered = kinds.filter(([, kind]) => kind !== "contains").map(([field]) => ({
    field,
    depth: 2 as const,
    valueOf: (record: AnyRecord) => indexValue(textOf(record, field)),
  }));
  const dates = [...new Set(period === undefined ? [] : [period.start, period.end])]
    .map((field) => ({ field, isAlways: fields[field]?.isNullable() !== true }));
  const undated = {
    field: undatedField,
    depth: 3 as const,
    valueOf: (record: AnyRecord) => lackingOf(dates, record) ?? null,
  };
  const isEverUndated = dates.some(({ isAlways }) => !isAlways);
  return {
    indexes: [
      { field: "", depth: 3, valueOf: () => "" },
      ...filtered,
      ...(isEverUndated ? [undated] : []),
    ],
    dates,
    texts: kinds.filter(([, kind]) => kind === "contains").map(([field]) => field),
    ...(sorted && { sorted }),
  };
}

/** The dates that a record has not, as they are filed; undefined when it has all. */
export function lackingOf(dates: DateField[], record: AnyRecord): string | undefined {
  const lacking = dates.filter(({ field, isAlways }) => !isAlways && !isDate(record[field]));
  return lacking.length === 0 ? undefined : lacking.map(({ field }) => field).join(" ");
}

/** Every way of lacking one or more of these dates. */
export const lackingSome = ({ dates }: Layout, wanted: string[]): string[] =>
  dates.reduce<string[][]>(
    (sets, { field, isAlways }) =>
      isAlways ? sets : sets.concat(sets.map((set) => [...set, field])),
    [[]],
  )
    .filter((set) => set.some((field) => wanted.includes(field)))
    .map((set) => set.join(" "));

/** Whether the end is among the dates that are lacking: such a record is under way. */
export const isWithoutEnd = ({ dates }: Layout, lacking: string): boolean =>
  lacking.split(" ").at(-1) === dates.at(-1)?.field;

const isDate = (value: unknown): value is number => typeof value === "number";

/** The field, of no record, by which those without dates are filed. */
export const undatedField = "undated";

/** A field as filters see it. */
export const textOf = (record: Base, field: string): string =>
  String((record as AnyRecord)[field] ?? "");

/** The longest value that stands in a key as itself, in bytes of UTF-8. */
const keyedBytes = 100;

/** A filter's value as it stands in keys; null for the empty one, which is not filed. */
export function indexValue(text: string): IndexValue | null {
  if (text === "") return null;
  if (text.length <= keyedBytes / 3 || Buffer.byteLength(text) <= keyedBytes) return text;
  return new Uint8Array(createHash("sha256").update(text).digest().subarray(0, 16));
}

/** Tells layouts apart: a store filled under one cannot be read under another. */
export const layoutName = ({ indexes, dates, texts, sorted }: Layout): string =>
  [
    indexes.map(({ field, depth }) => field + depth),
    dates.map(({ field, isAlways }) => isAlways ? field : `${field}?`),
    texts,
    ...(sorted ? [[`by ${sorted.by}`, ...sorted.holds]] : []),
  ].map((names) => names.toSorted().join(" ")).join("; ");
