import { matches } from "../../base/filters.ts";
import { cursorName, type ListQuery } from "./list_query.ts";
import type { Base } from "../../base/record.ts";
import type { Query, Slice } from "../store.ts";

/** One page of a list and the addresses around it, in the order of the wire. */
export interface Page {
  page: number;
  numPages: number;
  pageSize: number;
  total: number;
  /** Positions in the whole list. */
  start: string;
  end: string;
  uri: string;
  firstPageUri: string;
  /** Null when there is none. */
  previousPageUri: string | null;
  nextPageUri: string | null;
  lastPageUri: string;
}

/** The query of a page: one item more than it holds, which shows whether another page follows. */
export const windowOf = ({ where, page, pageSize, after, afterText }: ListQuery): Query => ({
  where,
  skip: page * pageSize,
  limit: pageSize + 1,
  ...(after === undefined ? {} : { after }),
  ...(afterText === undefined ? {} : { afterText }),
});

/** Page of the store's result of `windowOf(query)`; `address` is that of the list. */
export function pageOf<T extends Base>(
  { items: found, total }: Slice<T>,
  query: ListQuery,
  address: string,
): { items: T[]; page: Page } {
  const { page, pageSize, after, afterText } = query;
  const items = found.slice(0, pageSize);
  const numPages = Math.ceil(total / pageSize);
  const last = Math.max(numPages - 1, 0);
  const link = linkTo(address, query);
  return {
    items,
    page: {
      page,
      numPages,
      pageSize,
      total,
      start: String(items.length === 0 ? 0 : page * pageSize),
      end: String(items.length === 0 ? 0 : page * pageSize + items.length - 1),
      uri: link(page, { after, afterText }),
      firstPageUri: link(0),
      previousPageUri: page === 0 ? null : link(Math.min(page - 1, last)),
      // More were found than a page holds, so the page has a last item.
      nextPageUri: found.length > pageSize ? link(page + 1, cursorOf(items.at(-1)!, query)) : null,
      lastPageUri: link(last),
    },
  };
}

/** Start of a page: the record before it. */
interface Cursor {
  after?: string | undefined;
  afterText?: string | undefined;
}

const cursorOf = (record: Base, { sortedBy }: ListQuery): Cursor => ({
  after: record.sid || undefined,
  ...(sortedBy && { afterText: String((record as Base & Record<string, unknown>)[sortedBy]) }),
});

/** The addresses of a list's pages. */
function linkTo(address: string, { kept, pageSize, sortedBy }: ListQuery) {
  const filters = kept.map((filter) => `${formText(filter)}&`).join("");
  return (page: number, { after, afterText }: Cursor = {}): string => {
    let uri = `${address}?${filters}Page=${page}&PageSize=${pageSize}`;
    if (after !== undefined) uri += `&${formText(["AfterSid", after])}`;
    if (afterText !== undefined) uri += `&${formText([cursorName(sortedBy ?? ""), afterText])}`;
    return uri;
  };
}

const formText = (field: [name: string, value: string]): string =>
  new URLSearchParams([field]).toString();

/** The `Link` header of a page (RFC 8288 §3); `root` is the path of the service's base URL. */
export function linkHeader(page: Page, root: string): string {
  const links = [
    ["first", page.firstPageUri],
    ["prev", page.previousPageUri],
    ["next", page.nextPageUri],
    ["last", page.lastPageUri],
  ].filter(([, uri]) => uri !== null);
  return links.map(([rel, uri]) => `<${root}${uri}>; rel="${rel}"`).join(", ");
}

/** A slice of records that are all at hand, newest first. */
export function sliceOf<T extends Base>(
  records: T[],
  { where, skip, limit, after }: Query,
): Slice<T> {
  const passed = records.filter((record) => matches(record as T & Record<string, unknown>, where));
  const from = after === undefined ? skip : passed.filter(({ sid }) => sid >= after).length;
  return { items: passed.slice(from, from + limit), total: passed.length };
}
