import { type FilterKind, filterValue } from "../base/filters.ts";
import { limits } from "../base/limits.ts";
import { cursorName } from "../model/rest/list_query.ts";
import type { AnyResource } from "../model/resource.ts";
import { pascal, pathField, snake } from "../base/wire.ts";
import {
  acceptedSchema,
  closed,
  described,
  descriptionOf,
  type JsonSchema,
  refTo,
  sidSchema,
} from "./schemas.ts";

const count: JsonSchema = { type: "integer", minimum: 0 };
const digits: JsonSchema = { type: "string", pattern: "^\\d+$" };
const address = (what: string): JsonSchema => ({
  type: "string",
  description: `Path of ${what}, or the text "null" where there is none.`,
});

/** The JSON form of a list: one page with the addresses around it, or a plain array. */
export function listSchema({ type, path, paged }: AnyResource): JsonSchema {
  const items = { type: "array", description: `${type} records.`, items: refTo(type) };
  if (!paged) return items;
  return described(
    `One page of ${type} records.`,
    closed({
      page: described("Number of the page, counted from 0.", count),
      num_pages: described("Number of pages.", count),
      page_size: described("Records on a full page.", count),
      total: described("Number of records in the whole list.", count),
      start: described("Position of the first record of the page, counted from 0.", digits),
      end: described("Position of the last record of the page.", digits),
      uri: address("this page"),
      first_page_uri: address("the first page"),
      previous_page_uri: address("the previous page"),
      next_page_uri: address("the next page"),
      last_page_uri: address("the last page"),
      [snake(pathField(path.split("/").at(-1) ?? path))]: items,
    }),
  );
}

const meaning: Record<FilterKind, string> = {
  equals: "The filter compares the whole value.",
  address:
    "The filter compares the whole value, a Client with or without `client:`; `*` stands for " +
    "any run of characters.",
  contains: "The filter finds a part of the value and ignores case.",
  number: "The filter finds a part of the number; `*` stands for any one digit.",
};

const query = (name: string, schema: JsonSchema, description: string): JsonSchema => ({
  name,
  in: "query",
  schema,
  description,
});

/** The query parameters that a list understands. */
export function listParameters(
  { filters = {}, fields, period, filtersCreation, sidPrefix, sorted }: AnyResource,
) {
  const parameters = Object.entries<FilterKind | undefined>(filters).flatMap(([field, kind]) =>
    kind === undefined ? [] : [query(
      pascal(field),
      acceptedSchema(filterValue(kind, fields[field])),
      [descriptionOf(fields[field]), meaning[kind]].filter(Boolean).join(" "),
    )]
  );
  const rule = "a day (YYYY-MM-DD) or an instant (ISO 8601); `<` before it means up to it, `>` " +
    "from it on.";
  if (filtersCreation) {
    parameters.push(
      query("DateCreated", { type: "string" }, `Creation of the record: ${rule}`),
    );
  }
  if (period !== undefined) {
    parameters.push(query("StartTime", { type: "string" }, `Start of the record: ${rule}`));
    parameters.push(query("EndTime", { type: "string" }, `End of the record: ${rule}`));
  }
  const size = { type: "integer", minimum: 1, default: limits.pageSizeDefault };
  parameters.push(query("Page", { ...count, default: 0 }, "Number of the page, counted from 0."));
  parameters.push(query("PageSize", size, `Records on a page, at most ${limits.pageSizeMax}.`));
  if (sidPrefix !== "") {
    parameters.push(
      query("AfterSid", sidSchema(sidPrefix), "Sid of a record; the page starts after it."),
    );
  }
  if (sorted !== undefined) {
    const rule =
      "Value that the record of AfterSid had here, so that the page is found when it is deleted.";
    parameters.push(query(cursorName(sorted.by), { type: "string" }, rule));
  }
  return parameters;
}
