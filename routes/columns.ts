import { isPlain, wireFormat } from "../core/fields.ts";
import type { AnyResource } from "../core/resource.ts";
import { iso8601, pascal, rfc2822, snake } from "../core/wire.ts";
import { escapeXml, printable } from "./xml.ts";

/** How one field of a resource is written. */
export interface Column {
  field: string;
  /** The JSON key. */
  key: string;
  json(value: unknown): unknown;
  /** The whole XML element. */
  xml(value: unknown): string;
}

const dates = ["dateCreated", "dateUpdated"];
const base = ["sid", ...dates, "accountSid"];

/** The fields that leave the service, in the order of the wire. */
export function columnsOf(
  { fields, hidden = [] }: Pick<AnyResource, "fields" | "hidden">,
): Column[] {
  const visible = [...base, ...Object.keys(fields)].filter((field) => !hidden.includes(field));
  return visible.map((field) => columnOf(field, fields[field]));
}

function columnOf(field: string, schema: AnyResource["fields"][string] | undefined): Column {
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

/** A stored value as JSON's own kinds have it: dates and some numbers are texts. */
function writerOf(
  field: string,
  schema: AnyResource["fields"][string] | undefined,
): (value: unknown) => unknown {
  const format = schema === undefined ? undefined : wireFormat(schema);
  const write = dates.includes(field)
    ? (value: unknown) => rfc2822(Number(value))
    : format === "iso8601"
    ? (value: unknown) => iso8601(Number(value))
    : format === "text"
    ? String
    : (value: unknown) => value;
  return (value) => value === null || value === undefined ? null : write(value);
}
