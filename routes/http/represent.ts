import { limits } from "../../core/base/limits.ts";
import type { Page } from "../../core/model/rest/paging.ts";
import type { Base } from "../../core/base/record.ts";
import type { AnyRecord, AnyResource } from "../../core/model/resource.ts";
import { pascal, pathField, snake } from "../../core/base/wire.ts";
import type { Forms } from "./answer.ts";
import { columnsOf } from "./columns.ts";
import type { ListFrame } from "./list_frame.ts";
import { element, escapeXml } from "./xml.ts";

/** Writes the records of one resource. */
export interface Shape {
  json(record: Base): Record<string, unknown>;
  /** The body of a response that shows one record. */
  forms(record: Base): Forms;
  /** A record as the text of one in a list. */
  jsonText(record: Base): string;
  xmlText(record: Base): string;
  /** Frame around such texts in a list; without a page it is a plain array. */
  jsonFrame(page?: Page): ListFrame;
  xmlFrame(page?: Page): ListFrame;
}

/** Addresses are relative to the base URL, without a suffix. */
export const accountsAddress = `/${limits.apiVersion}/Accounts`;
export const accountAddress = (sid: string): string => `${accountsAddress}/${sid}`;

/**
 * Derives a resource's wire forms. `addressOf` gives a record's address; null: records have none.
 */
export function shapeOf(
  { type, path, listType, subresources = [], ...definition }: AnyResource,
  addressOf: ((record: Base) => string) | null = ({ accountSid, sid }) =>
    `${accountAddress(accountSid)}/${path}/${sid}`,
): Shape {
  const columns = columnsOf(definition);
  const listKey = pathField(path.slice(path.lastIndexOf("/") + 1));
  const listName = listType ?? pascal(listKey);
  const below = subresources.map((path) => {
    const field = pathField(path);
    return { path, key: snake(field), name: pascal(field) };
  });

  function json(record: Base): Record<string, unknown> {
    const written: Record<string, unknown> = {};
    for (const { field, key, json } of columns) written[key] = json((record as AnyRecord)[field]);
    if (addressOf === null) return written;
    const address = addressOf(record);
    written.uri = `${address}.json`;
    if (below.length > 0) {
      written.subresource_uris = Object.fromEntries(
        below.map(({ path, key }) => [key, `${address}/${path}.json`]),
      );
    }
    return written;
  }

  /** Joins the parts: a list copies a flat string many times as fast as a concatenated one. */
  function xml(record: Base): string {
    const written = [`<${type}>`];
    for (const { field, xml } of columns) written.push(xml((record as AnyRecord)[field]));
    if (addressOf !== null) {
      const address = addressOf(record);
      written.push(element("Uri", address));
      if (below.length > 0) {
        const addresses = below.map(({ path, name }) => element(name, `${address}/${path}`));
        written.push(element("SubresourceUris", addresses.join("")));
      }
    }
    written.push(`</${type}>`);
    return written.join("");
  }

  const xmlText = cached(xml);
  const jsonText = cached((record) => JSON.stringify(json(record)));
  return {
    json,
    jsonText,
    xmlText,
    forms: (record) => ({ json: () => jsonText(record), xml: () => xmlText(record) }),
    jsonFrame(page) {
      if (page === undefined) return { open: "[", between: ",", close: "]" };
      const fields = JSON.stringify(pageFields(page, snake)).slice(0, -1);
      return jsonFrame(fields, snake(listKey));
    },
    xmlFrame: (page) => ({
      open: `<${listName}${page === undefined ? "" : pageAttributes(page)}>`,
      between: "",
      close: `</${listName}>`,
    }),
  };
}

/** Text around an array in an object that begins with `fields`. */
export const jsonFrame = (fields: string, key: string): ListFrame => ({
  open: `${fields},${JSON.stringify(key)}:[`,
  between: ",",
  close: "]}",
});

/**
 * Caches the texts of frozen records. The store returns the same object for a record while it is
 * cached, and programs request the same lists again and again.
 */
function cached(write: (record: Base) => string): (record: Base) => string {
  const written = new WeakMap<Base, string>();
  return (record) => {
    const known = written.get(record);
    if (known !== undefined) return known;
    const text = write(record);
    if (Object.isFrozen(record)) written.set(record, text);
    return text;
  };
}

/** In JSON, a page that does not exist is the literal text `null`, as in XML. */
const pageFields = (page: Page, name: (field: string) => string): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(page).map(([field, value]) => [name(field), value ?? "null"]),
  );

/** XML attributes are the JSON keys without underscores. */
const pageAttributes = (page: Page): string =>
  Object.entries(pageFields(page, (field) => field.toLowerCase()))
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`).join("");
