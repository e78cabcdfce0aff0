import type { DateOperator } from "../../base/dates.ts";
import { Fault } from "../../base/faults.ts";
import { limits } from "../../base/limits.ts";
import type { Base } from "../../base/record.ts";
import type { Query, Slice } from "../../model/store.ts";
import type { Circumstances, Filter, Listed } from "./noun.ts";

/** Start of a page: after a record, named by its Sid, and by its text in a sorted list. */
interface Cursor {
  after: string;
  afterText?: string;
}

/** The query string of a list. */
export interface PageQuery extends Pick<Query, "where"> {
  page: number;
  pageSize: number;
  cursor: Cursor | null;
  /** The filters as they were sent. */
  kept: [name: string, value: string][];
  /** Names that mean nothing here. */
  unknown: string[];
}

/** The names that the query string of a list may have. */
export const listNames = ({ filters }: Pick<Listed, "filters">): string[] => [
  "Page",
  "PageSize",
  "PageToken",
  ...Object.keys(filters),
];

/** Reads the query of a list. Throws `badParameter`, which names every wrong parameter. */
export function readPageQuery(
  listed: Pick<Listed, "filters">,
  sent: Iterable<[name: string, value: string]>,
  circumstances: Circumstances,
): PageQuery {
  const query: PageQuery = {
    where: [],
    page: 0,
    pageSize: limits.pageSizeDefault,
    cursor: null,
    kept: [],
    unknown: [],
  };
  const problems: string[] = [];
  for (const [name, value] of sent) {
    try {
      readOne(query, listed, { name, value, circumstances });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      problems.push(`${name} ${error.detail}`);
    }
  }
  if (problems.length > 0) throw new Fault("badParameter", problems.join("; "));
  return query;
}

function readOne(
  query: PageQuery,
  { filters }: Pick<Listed, "filters">,
  { name, value, circumstances }: { name: string; value: string; circumstances: Circumstances },
): void {
  if (name === "Page") query.page = whole(value, 0);
  else if (name === "PageSize") query.pageSize = Math.min(whole(value, 1), limits.pageSizeMax);
  else if (name === "PageToken") query.cursor = readToken(value);
  else {
    const found = filterOf(filters, name, value);
    if (found === null) return void query.unknown.push(name);
    query.kept.push([name, value]);
    if (found.text === "") return; // As if it was not sent: libraries send what a form was left as.
    query.where.push(...found.filter.conditions(found.text, found.operator, circumstances));
  }
}

/**
 * The filter that a name means. The operator of a date ends the name (`StartTime>`), stands in it
 * (`StartTime>=D` is split at its equals sign by a query string) or begins the value.
 */
function filterOf(
  filters: Record<string, Filter>,
  name: string,
  value: string,
): { filter: Filter; operator: DateOperator; text: string } | null {
  const whole = Object.hasOwn(filters, name) ? filters[name] : undefined;
  if (whole !== undefined && !whole.isDate) return { filter: whole, operator: "", text: value };
  const [, bare = "", inName = "", rest = ""] = /^(\w+)(?:([<>])=?(.*))?$/s.exec(name) ?? [];
  const filter = Object.hasOwn(filters, bare) ? filters[bare] : undefined;
  if (!filter?.isDate) return null;
  const [, inValue = "", text = ""] = /^([<>]?)=?\s*(.*)$/s.exec(rest || value) ?? [];
  return { filter, operator: (inName || inValue) as DateOperator, text };
}

function whole(text: string, least: number): number {
  if (/^\d{1,15}$/.test(text) && Number(text) >= least) return Number(text);
  throw new Fault("badParameter", `must be an integer of ${least} or more`);
}

/** A token is opaque to clients: the Sid before the page, and its text in a sorted list. */
function readToken(token: string): Cursor | null {
  if (token === "") return null;
  const [, after, text] = /^P([A-Z]{2}[0-9a-f]{32})(?:\.([\w-]{1,500}))?$/.exec(token) ?? [];
  if (after === undefined) {
    throw new Fault("badParameter", "must be that of an address which a list gave");
  }
  return { after, ...text !== undefined && { afterText: textOf(text) } };
}

const textOf = (encoded: string): string =>
  new TextDecoder().decode(Uint8Array.fromBase64(encoded, { alphabet: "base64url" }));

const tokenOf = ({ after, afterText }: Cursor): string => {
  if (afterText === undefined) return `P${after}`;
  const bytes = new TextEncoder().encode(afterText);
  return `P${after}.${bytes.toBase64({ alphabet: "base64url", omitPadding: true })}`;
};

/** The query of a page: one item more than it holds, which shows whether another page follows. */
export const windowOf = ({ where, page, pageSize, cursor }: PageQuery): Query => ({
  where,
  skip: page * pageSize,
  limit: pageSize + 1,
  ...cursor,
});

/** The paging of a list as Twilio's libraries read it. */
export interface Envelope {
  first_page_uri: string;
  end: number;
  next_page_uri: string | null;
  page: number;
  page_size: number;
  previous_page_uri: string | null;
  start: number;
  uri: string;
}

/** A page of what the store answered to `windowOf(query)`; `address` is the list's own. */
export function envelopeOf<T extends Base>(
  { items: found }: Slice<T>,
  query: PageQuery,
  { address, sortedBy }: { address: string; sortedBy?: string | undefined },
): { items: T[]; envelope: Envelope } {
  const { page, pageSize } = query;
  const items = found.slice(0, pageSize);
  const last = items.at(-1);
  const start = page * pageSize;
  const uri = (page: number, cursor: Cursor | null = null): string => {
    const pairs = [...query.kept, ["PageSize", String(pageSize)], ["Page", String(page)]];
    if (cursor !== null) pairs.push(["PageToken", tokenOf(cursor)]);
    return `${address}?${new URLSearchParams(pairs)}`;
  };
  const hasNext = last !== undefined && found.length > pageSize;
  const envelope = {
    first_page_uri: uri(0),
    end: items.length === 0 ? start : start + items.length - 1,
    next_page_uri: hasNext ? uri(page + 1, cursorOf(last, sortedBy)) : null,
    page,
    page_size: pageSize,
    previous_page_uri: page === 0 ? null : uri(page - 1),
    start,
    uri: uri(page, query.cursor),
  };
  return { items, envelope };
}

/** Null for what has no Sid: its pages are counted. */
function cursorOf(record: Base, sortedBy: string | undefined): Cursor | null {
  if (record.sid === "") return null;
  if (sortedBy === undefined) return { after: record.sid };
  const text = String((record as Base & Record<string, unknown>)[sortedBy]);
  return { after: record.sid, afterText: text };
}
