import { type FilterKind, filterValue } from "../base/filters.ts";
import { limits } from "../base/limits.ts";
import { cursorName } from "../rest/list_query.ts";
import type { AnyResource } from "../model/resource.ts";
import { pascal, pathField, snake } from "../base/wire.ts";
import { acceptedSchema, closed, type JsonSchema, refTo, sidSchema } from "./schemas.ts";

const count: JsonSchema = { type: "integer", minimum: 0 };
const digits: JsonSchema = { type: "string", pattern: "^\\d+$" };
const address: JsonSchema = { type: "string", description: 'An address, or the text "null".' };

/** The JSON form of a list: one page with the addresses around it, or a plain array. */
export function listSchema({ type, path, paged }: AnyResource): JsonSchema {
  const items = { type: "array", items: refTo(type) };
  if (!paged) return items;
  return closed({
    page: count,
    num_pages: count,
    page_size: count,
    total: count,
    start: digits,
    end: digits,
    uri: address,
    first_page_uri: address,
    previous_page_uri: address,
    next_page_uri: address,
    last_page_uri: address,
    [snake(pathField(path.split("/").at(-1)!))]: items,
  });
}

const meaning: Record<FilterKind, string> = {
  equals: "The whole value.",
  address: "The whole value, a Client with or without client:; * stands for any run of characters.",
  contains: "A part of the value, in any case.",
  number: "A part of the number; * stands for any one digit.",
};

const query = (name: string, schema: JsonSchema, description: string): JsonSchema => ({
  name,
  in: "query",
  schema,
  description,
});

/** The query parameters that a list understands. */
export function listParameters({ filters = {}, fields, period, sidPrefix, sorted }: AnyResource) {
  const parameters = Object.entries<FilterKind | undefined>(filters).map(([field, kind]) =>
    query(pascal(field), acceptedSchema(filterValue(kind!, fields[field])), meaning[kind!])
  );
  if (period !== undefined) {
    const rule =
      "A day as YYYY-MM-DD or an ISO 8601 instant; < or > before it is up to or from it.";
    parameters.push(query("StartTime", { type: "string" }, rule));
    parameters.push(query("EndTime", { type: "string" }, rule));
  }
  const size = { type: "integer", minimum: 1, default: limits.pageSizeDefault };
  parameters.push(query("Page", { ...count, default: 0 }, "Counts from 0."));
  parameters.push(query("PageSize", size, `At most ${limits.pageSizeMax} are given.`));
  if (sidPrefix !== "") {
    parameters.push(query("AfterSid", sidSchema(sidPrefix), "The page starts after this record."));
  }
  if (sorted !== undefined) {
    const rule = "What that record had here, so that the page is found also when it is gone.";
    parameters.push(query(cursorName(sorted.by), { type: "string" }, rule));
  }
  return parameters;
}
