import { type DateOperator, type Interval, interval } from "../../base/dates.ts";
import { Fault } from "../../base/faults.ts";
import { type Condition, type FilterKind, filterValue } from "../../base/filters.ts";
import { limits } from "../../base/limits.ts";
import { ruleOf } from "./parameters.ts";
import type { AnyResource } from "../resource.ts";
import { isSid } from "../../base/sid.ts";
import { pascal } from "../../base/wire.ts";

/** Query of a list, as its query string requests it. */
export interface ListQuery {
  where: Condition[];
  page: number;
  pageSize: number;
  /** The cursor: the page starts right after this Sid. */
  after?: string;
  /** Field that the list is sorted by, and its value in the record of the cursor. */
  sortedBy?: string;
  afterText?: string;
  /** Filters as they were sent, for every address of the list's pages. */
  kept: [name: string, value: string][];
  /** Names that mean nothing here. */
  unknown: string[];
}

const datedNames = ["StartTime", "EndTime"] as const;
type DatedName = (typeof datedNames)[number] | "DateCreated";

/** The names that the query string of a list may have. */
export const listNames = (
  { filters = {}, period, filtersCreation, sidPrefix, sorted }: AnyResource,
): string[] => [
  "Page",
  "PageSize",
  ...(sidPrefix === "" ? [] : ["AfterSid"]), // Without a prefix no record of the list has a Sid.
  ...(sorted === undefined ? [] : [cursorName(sorted.by)]),
  ...(period === undefined ? [] : datedNames),
  ...(filtersCreation ? ["DateCreated"] : []),
  ...Object.keys(filters).map(pascal),
];

/** One date filter as sent. */
interface Dated {
  name: DatedName;
  operator: DateOperator;
  interval: Interval;
}

/** Query as read so far; problems are collected, so that one response names them all. */
interface Reading {
  definition: AnyResource;
  query: ListQuery;
  dated: Dated[];
  problems: string[];
  spellingsOf: SpellingsOf;
}

/** The spellings that a filter for an address finds, or the one for a part of a phone number. */
export type SpellingsOf = (value: string, isPart: boolean) => [string, ...string[]];

/** Reads a list's query. Throws `badParameter`, which names every wrong parameter. */
export function readListQuery(
  definition: AnyResource,
  sent: Iterable<[name: string, value: string]>,
  spellingsOf: SpellingsOf = (value) => [value],
): ListQuery {
  const query: ListQuery = {
    where: [],
    page: 0,
    pageSize: limits.pageSizeDefault,
    kept: [],
    unknown: [],
    ...(definition.sorted && { sortedBy: definition.sorted.by }),
  };
  const reading: Reading = { definition, query, dated: [], problems: [], spellingsOf };
  const read = new Set<string>();
  for (const [name, value] of sent) {
    if (read.has(name)) {
      reading.problems.push(`${name} must be given once`);
      continue;
    }
    const isRead = readPaging(reading, name, value) || readDate(reading, name, value) ||
      readFilter(reading, name, value);
    if (isRead) read.add(name);
    else query.unknown.push(name);
  }
  query.where.push(...dateConditions(reading));
  const problems = new Set(reading.problems);
  if (problems.size > 0) throw new Fault("badParameter", [...problems].join("; "));
  return query;
}

function readPaging({ definition, query, problems }: Reading, name: string, value: string) {
  const isNumber = /^\d{1,15}$/.test(value);
  switch (name) {
    case "Page":
      if (isNumber) query.page = Number(value);
      else problems.push("Page must be an integer of 0 or more");
      return true;
    case "PageSize":
      if (isNumber && Number(value) > 0) {
        query.pageSize = Math.min(Number(value), limits.pageSizeMax);
      } else problems.push("PageSize must be an integer of 1 or more");
      return true;
    case "AfterSid":
      if (definition.sidPrefix === "") return false; // No record of this list has a Sid.
      if (isSid(value, definition.sidPrefix)) query.after = value;
      else problems.push(`AfterSid must be a Sid that begins ${definition.sidPrefix}`);
      return true;
    default:
      return readPlace(query, name, value);
  }
}

/**
 * Reads the value that a record, which may be gone, had in the field that the list is sorted by.
 */
function readPlace(query: ListQuery, name: string, value: string): boolean {
  if (query.sortedBy === undefined || name !== cursorName(query.sortedBy)) return false;
  if (value.length <= limits.lookupLength) query.afterText = value;
  return true;
}

/**
 * Reads StartTime, EndTime or DateCreated. The operator may end the name (`StartTime>=D`, which a query string
 * splits at its equals sign), stand in it (`StartTime>D`), or begin the value.
 */
function readDate(reading: Reading, name: string, value: string): boolean {
  const parts = /^(StartTime|EndTime|DateCreated)(?:([<>])=?(.*))?$/s.exec(name);
  if (parts === null || !hasDate(reading.definition, parts[1] as DatedName)) return false;
  const [, dated, inName, rest] = parts;
  const [, inValue, bare = ""] = /^([<>]?)=?\s*(.*)$/s.exec(rest || value) ?? [];
  const operator = (inName ?? inValue ?? "") as DateOperator;
  const passed = interval(operator, bare);
  if (passed === null) {
    reading.problems.push(`${dated} must be a date as YYYY-MM-DD or an ISO 8601 instant`);
  } else reading.dated.push({ name: dated as DatedName, operator, interval: passed });
  reading.query.kept.push([name, value]);
  return true;
}

const hasDate = ({ period, filtersCreation }: AnyResource, name: DatedName): boolean =>
  name === "DateCreated" ? filtersCreation === true : period !== undefined;

/** A StartTime and an EndTime without operators are one range, both days included. */
function dateConditions({ definition, dated: all }: Reading): Condition[] {
  const made = all.filter(({ name }) => name === "DateCreated")
    .map(({ interval }): Condition => ({ field: "sid", op: "made", ...interval }));
  const dated = all.filter((one): one is Dated & { name: (typeof datedNames)[number] } =>
    one.name !== "DateCreated"
  );
  return [...made, ...periodConditions(definition, dated)];
}

function periodConditions(
  definition: AnyResource,
  dated: (Dated & { name: (typeof datedNames)[number] })[],
): Condition[] {
  if (definition.period === undefined) return [];
  const field = { StartTime: definition.period.start, EndTime: definition.period.end };
  const [start, end] = datedNames.map((name) =>
    dated.find((one) => one.name === name && one.operator === "")
  );
  const range: Condition[] = start === undefined || end === undefined ? [] : [{
    field: field.StartTime,
    op: "between",
    from: start.interval.from,
    before: end.interval.before,
  }];
  const others = dated.filter((one) => range.length === 0 || (one !== start && one !== end));
  return range.concat(
    others.map(({ name, interval }) => ({ field: field[name], op: "between", ...interval })),
  );
}

/** Reads a filter on a field. */
function readFilter(reading: Reading, name: string, value: string) {
  const { definition, query, problems } = reading;
  const { filters = {}, fields } = definition;
  const field = Object.keys(filters).find((field) => pascal(field) === name);
  if (field === undefined) return false;
  if (value === "") {
    problems.push(`${name} must not be empty`);
    return true;
  }
  const kind = filters[field]!; // `field` is a key of `filters`.
  const accepted = filterValue(kind, fields[field]).safeParse(value);
  if (accepted.success) query.where.push(condition(kind, field, String(accepted.data), reading));
  // An error of zod has an issue at least.
  else problems.push(`${name} ${ruleOf(accepted.error.issues[0]!, value)}`);
  query.kept.push([name, value]);
  return true;
}

function condition(
  kind: FilterKind,
  field: string,
  value: string,
  { spellingsOf }: Pick<Reading, "spellingsOf">,
): Condition {
  if (kind === "contains") return { field, op: "contains", value };
  // A whole number is sought as an address is; no other text that is compared as a whole has spellings.
  if (kind === "equals" && field !== "phoneNumber") return { field, op: "equals", value };
  const [sought, ...others] = spellingsOf(value, kind === "number");
  if (kind === "number") return { field, op: "hasPart", value: sought };
  if (kind === "address" && value.includes("*")) return { field, op: "matches", value: sought };
  const login = kind === "address" && clientAddress.exec(value)?.[1];
  if (login) return { field, op: "oneOf", values: [`client:${login}`, login] };
  return others.length === 0
    ? { field, op: "equals", value }
    : { field, op: "oneOf", values: [sought, ...others] };
}

/** A Client as records have it, or by a Login that is no number. */
const clientAddress = /^(?:client:)?([A-Za-z][A-Za-z0-9\-._+]{0,63})$/;

/** The parameter beside AfterSid that says where a record stands which may be gone. */
export const cursorName = (sortedBy: string): string => `After${pascal(sortedBy)}`;
