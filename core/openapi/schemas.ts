import { z } from "zod";
import { flag, innerFields, itemFields, wireFormat } from "../base/fields.ts";
import type { Parameters } from "../model/rest/parameters.ts";
import { type AnyResource, visibleFields } from "../model/resource.ts";
import { pascal, pathField, snake } from "../base/wire.ts";

/** A schema of JSON Schema 2020-12, as OpenAPI 3.1 has them. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A schema that stands among the components of the document. */
export const refTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** The name of a schema that a reference leads to. */
export const nameOf = ({ $ref }: JsonSchema): string | undefined =>
  typeof $ref === "string" ? $ref.split("/").at(-1) : undefined;

/** A schema with a description; one that it has by itself stays, after that. */
export const described = (text: string | undefined, schema: JsonSchema): JsonSchema =>
  text === undefined ? schema : {
    ...schema,
    description: typeof schema.description === "string" ? `${text} ${schema.description}` : text,
  };

/** The description of a field, be it optional or null at times. */
export function descriptionOf(schema: z.ZodType): string | undefined {
  const own = schema.meta()?.description;
  if (own !== undefined) return own;
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  return isWrapped ? descriptionOf(schema.unwrap() as z.ZodType) : undefined;
}

export const sidSchema = (prefix: string): JsonSchema => ({
  type: "string",
  pattern: `^${prefix}[0-9a-f]{32}$`,
});

/** Forms of the texts that dates and some numbers are written as. */
const written = {
  rfc2822: {
    type: "string",
    pattern: "^[A-Z][a-z]{2}, \\d{2} [A-Z][a-z]{2} \\d{4} \\d{2}:\\d{2}:\\d{2} \\+0000$",
    description: "RFC 2822, in UTC.",
  },
  iso8601: { type: "string", format: "date-time", description: "ISO 8601, in UTC." },
  text: { type: "string", pattern: "^-?\\d+(\\.\\d+)?$" },
  form: { type: "string" },
} as const;

const address: JsonSchema = { type: "string", format: "uri-reference" };

const base: Record<string, JsonSchema> = {
  dateCreated: described("Date when the record was made.", written.rfc2822),
  dateUpdated: described("Date of the last change of the record.", written.rfc2822),
  accountSid: described("Sid of the account that the record belongs to.", sidSchema("AC")),
};
const ownAddress = described("Path of the record, in JSON.", address);
const sublists = "Paths of the lists below the record.";

/** The JSON form of a record. One without an address is nowhere to be read by itself. */
export function recordSchema(definition: AnyResource, { isAddressed = true } = {}): JsonSchema {
  const { fields, sidPrefix, subresources = [] } = definition;
  const sid = described("Sid of the record, unique in the service.", sidSchema(sidPrefix));
  const known: Record<string, JsonSchema> = { sid, ...base };
  const properties = Object.fromEntries(
    visibleFields(definition).map((field) =>
      [snake(field), known[field] ?? fieldSchema(fields[field])] as const
    ),
  );
  if (isAddressed) properties.uri = ownAddress;
  if (subresources.length > 0) {
    const keys = subresources.map((path) => snake(pathField(path)));
    const addresses = keys.map((key) =>
      [key, described(`Path of the list ${key}.`, address)] as const
    );
    properties.subresource_uris = described(sublists, closed(Object.fromEntries(addresses)));
  }
  return described(definition.description, closed(properties));
}

/** An object that has all of these. */
export const closed = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: "object",
  properties,
  required: Object.keys(properties),
});

const fieldSchema = (schema: z.ZodType): JsonSchema =>
  described(descriptionOf(schema), valueSchema(schema));

/** A stored value as JSON has it, without the rules that bind only what is sent. */
function valueSchema(schema: z.ZodType): JsonSchema {
  const isNullable = schema.safeParse(null).success || isOptional(schema);
  const inner = innerFields(schema);
  if (inner !== undefined) return objectSchema(inner);
  const items = itemFields(schema);
  if (items !== undefined) return { type: "array", items: objectSchema(items) };
  const format = wireFormat(schema);
  const value = format === undefined ? storedSchema(jsonSchemaOf(schema)) : written[format];
  return isNullable ? orNull(value) : value;
}

/** A field that is an object: what may be absent is left out, not null. */
function objectSchema(fields: z.ZodRawShape): JsonSchema {
  const entries = Object.entries(fields) as [string, z.ZodType][];
  const present = ([, schema]: [string, z.ZodType]) =>
    schema instanceof z.ZodOptional ? schema.unwrap() as z.ZodType : schema;
  return {
    type: "object",
    properties: Object.fromEntries(
      entries.map((entry) => [
        snake(entry[0]),
        described(descriptionOf(entry[1]), valueSchema(present(entry))),
      ]),
    ),
    required: entries.filter(([, schema]) => !isOptional(schema)).map(([field]) => snake(field)),
  };
}

const isOptional = (schema: z.ZodType): boolean => schema instanceof z.ZodOptional;

const orNull = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  type: [schema.type, "null"],
  ...(Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {}),
});

/** The kind of a stored value: an empty text, which clears a field, is never stored. */
function storedSchema(schema: JsonSchema): JsonSchema {
  const found = alternatives(schema).find((one) => one.const !== "") ?? {};
  const kept = ["type", "format", "enum", "const"].filter((key) => found[key] !== undefined);
  return Object.fromEntries(kept.map((key) => [key, found[key]]));
}

/** The alternatives that a schema accepts, without null, which no form can carry. */
const alternatives = (schema: JsonSchema): JsonSchema[] =>
  Array.isArray(schema.anyOf)
    ? schema.anyOf.flatMap(alternatives)
    : schema.type === "null"
    ? []
    : [Array.isArray(schema.type) ? { ...schema, type: schema.type[0] } : schema];

/** Schema of the input of a field; where that is anything, of its output. */
function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const accepted = converted(schema, "input");
  return Object.keys(accepted).length > 0 ? accepted : converted(schema, "output");
}

function converted(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      const isFlag = zodSchema instanceof z.ZodUnion && zodSchema.options === flag.options;
      if (!isFlag) return;
      delete jsonSchema.anyOf;
      jsonSchema.type = "boolean";
    },
  });
  return json;
}

/** Schema of the values that a parameter accepts. */
export function acceptedSchema(schema: z.ZodType): JsonSchema {
  const [first, ...more] = alternatives(jsonSchemaOf(schema));
  return more.length === 0 ? first! : { anyOf: [first, ...more] };
}

/** A body: a form, or a JSON object of the same names. */
export function formSchema({ schema, aliases = {} }: Parameters): JsonSchema {
  const entries = Object.entries(schema.shape) as [string, z.ZodType][];
  const properties = entries.map(([field, accepted]) => {
    const others = Object.keys(aliases).filter((name) => aliases[name] === field);
    const { description: _, ...schema } = acceptedSchema(accepted);
    const also = others.length === 0 ? {} : { description: `Also named ${others.join(", ")}.` };
    return [pascal(field), described(descriptionOf(accepted), { ...schema, ...also })];
  });
  const required = entries.filter(([, accepted]) => !isOptional(accepted))
    .map(([field]) => pascal(field));
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
  };
}
