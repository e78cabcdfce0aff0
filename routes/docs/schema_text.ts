import { escape, scrolling } from "./markdown.ts";

/** The parts of a schema that the reference shows. */
export interface Shown {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Shown[];
  oneOf?: Shown[];
  items?: Shown;
  additionalProperties?: boolean | Shown;
  contentSchema?: Shown;
  properties?: Record<string, Shown>;
  required?: string[];
  format?: string;
  description?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  "x-enumDescriptions"?: Record<string, string>;
}

/** The address at which a schema is shown, by its name; null when it is not shown. */
export type AddressOf = (name: string) => string | null;

/** A name, its type and its meaning: a row of a table. */
export interface Row {
  name: string;
  schema: Shown;
  isRequired?: boolean;
  /** The place of a parameter that is not in the body. */
  place?: string;
}

/** Parameters or properties as a table. */
export function tableOf(rows: Row[], addressOf: AddressOf): string {
  const cells = rows.map(({ name, schema, isRequired, place }) => {
    const type = typeOf(schema, addressOf) + (place ? `, in the ${place}` : "") +
      (isRequired ? ", <strong>required</strong>" : "");
    return `<tr><th scope="row"><code>${escape(name)}</code></th><td>${type}</td>` +
      `<td>${prose(schema.description ?? "")}</td></tr>`;
  });
  const head = "<thead><tr><th>Name</th><th>Type</th><th>Meaning</th></tr></thead>";
  return scrolling(`<table class="fields">${head}<tbody>${cells.join("\n")}</tbody></table>`);
}

/** Renders text with code between backticks. */
export const prose = (text: string): string =>
  escape(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");

/** The properties of an object, those of objects in it by their whole names. */
export function rowsOf({ properties = {}, required = [] }: Shown, before = ""): Row[] {
  return Object.entries(properties).flatMap(([key, schema]) => {
    const name = before + key;
    const inner = schema.properties ? schema : schema.items?.properties ? schema.items : undefined;
    const row = { name, schema };
    if (inner === undefined || key === "subresource_uris") return [row];
    return [row, ...rowsOf(inner, `${name}${schema.items ? "[]" : ""}.`)];
  }).map((row) => ({ ...row, isRequired: before === "" && required.includes(row.name) }));
}

/** The name of the schema that a reference points to. */
export const nameIn = ($ref: string): string => $ref.slice($ref.lastIndexOf("/") + 1);

/** A schema in a few words. */
export function typeOf(schema: Shown, addressOf: AddressOf): string {
  const { $ref, anyOf, oneOf, items, format, type, contentSchema } = schema;
  if ($ref !== undefined) {
    const name = nameIn($ref);
    const address = addressOf(name);
    return address === null ? escape(name) : `<a href="${address}">${escape(name)}</a>`;
  }
  if (anyOf !== undefined) return anyOf.map((one) => typeOf(one, addressOf)).join(" or ");
  if (oneOf !== undefined) return oneOf.map((one) => typeOf(one, addressOf)).join(" or ");
  if (schema.const !== undefined) return code(schema.const);
  if (schema["x-enumDescriptions"] !== undefined) return "integer";
  if (schema.enum !== undefined) return schema.enum.map(code).join(", ");
  if (items !== undefined) return `list of ${typeOf(items, addressOf)}`;
  if (contentSchema !== undefined) return `JSON text of ${typeOf(contentSchema, addressOf)}`;
  const each = schema.additionalProperties;
  if (typeof each === "object") return `object of ${typeOf(each, addressOf)} by name`;
  const kind = [type ?? "any"].flat().join(" or ");
  return kind + (format === undefined ? "" : ` (${format})`) + bounds(schema);
}

const code = (value: unknown): string =>
  value === "" ? "empty" : `<code>${escape(String(value))}</code>`;

function bounds({ minimum, maximum, maxLength }: Shown): string {
  const range = maximum === undefined ? "" : ` from ${minimum ?? ""} to ${maximum}`;
  return range + (maxLength === undefined ? "" : `, at most ${maxLength} characters`);
}
