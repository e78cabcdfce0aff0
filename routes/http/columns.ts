import { innerFields, isPlain, itemFields, wireFormat } from "../../core/base/fields.ts";
import { type AnyResource, visibleFields } from "../../core/model/resource.ts";
import { iso8601, pascal, rfc2822, snake } from "../../core/base/wire.ts";
import { element, escapeXml, printable } from "./xml.ts";

/** Writes one field of a resource. */
export interface Column {
  field: string;
  /** The JSON key. */
  key: string;
  json(value: unknown): unknown;
  /** The whole XML element. */
  xml(value: unknown): string;
}

const dates = ["dateCreated", "dateUpdated"];

/** The visible fields, in the order of the wire. */
export function columnsOf(
  definition: Pick<AnyResource, "fields" | "hidden">,
): Column[] {
  return visibleFields(definition).map((field) => columnOf(field, definition.fields[field]));
}

function columnOf(field: string, schema: AnyResource["fields"][string] | undefined): Column {
  const inner = schema && innerFields(schema);
  if (inner !== undefined) return nested(field, inner);
  const items = schema && itemFields(schema);
  if (items !== undefined) return listed(field, items);
  const write = writerOf(field, schema);
  const name = pascal(field);
  const [empty, open, close] = [`<${name}/>`, `<${name}>`, `</${name}>`];
  const text = schema === undefined || isPlain(schema) ? String : escapeXml;
  return {
    field,
    key: snake(field),
    json(value) {
      const written = write(value);
      return typeof written === "string" ? printable(written) : written;
    },
    xml(value) {
      const written = write(value);
      return written === null || written === "" ? empty : open + text(String(written)) + close;
    },
  };
}

/** A field that is an object. Absent fields of it are left out. */
function nested(field: string, fields: AnyResource["fields"]): Column {
  const columns = Object.keys(fields).map((name) => columnOf(name, fields[name]));
  const present = (value: unknown): [Column, unknown][] => {
    const object = (value ?? {}) as Record<string, unknown>;
    return columns.filter(({ field }) => object[field] !== undefined)
      .map((column) => [column, object[column.field]]);
  };
  return {
    field,
    key: snake(field),
    json: (value) =>
      Object.fromEntries(present(value).map(([{ key, json }, inner]) => [key, json(inner)])),
    xml: (value) =>
      element(pascal(field), present(value).map(([{ xml }, inner]) => xml(inner)).join("")),
  };
}

/** A field that is a list of objects: in XML, each is an element by the singular of its name. */
function listed(field: string, fields: AnyResource["fields"]): Column {
  const item = nested(field.replace(/s$/, ""), fields);
  return {
    field,
    key: snake(field),
    json: (value) => (value as unknown[]).map(item.json),
    xml: (value) => element(pascal(field), (value as unknown[]).map(item.xml).join("")),
  };
}

/** Maps a stored value to its JSON value: dates and some numbers are texts. */
function writerOf(
  field: string,
  schema: AnyResource["fields"][string] | undefined,
): (value: unknown) => unknown {
  const format = schema === undefined ? undefined : wireFormat(schema);
  const write = dates.includes(field) || format === "rfc2822"
    ? (value: unknown) => rfc2822(Number(value))
    : format === "iso8601"
    ? (value: unknown) => iso8601(Number(value))
    : format === "text"
    ? String
    : format === "form"
    ? (value: unknown) => new URLSearchParams(value as Record<string, string>).toString()
    : (value: unknown) => value;
  return (value) => value === null || value === undefined ? null : write(value);
}
