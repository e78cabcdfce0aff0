import { type JsonSchema, nameOf } from "../../schemas.ts";

/** A comment before a declaration. */
export const comment = (text: unknown): string =>
  typeof text === "string" ? `/** ${text.replaceAll("*/", "* /").replaceAll("\n", " ")} */\n` : "";

/** The TypeScript type of a schema; `prefix` comes before the names of the components. */
export function typeOf(schema: JsonSchema, prefix = ""): string {
  const of = (inner: unknown) => typeOf(inner as JsonSchema, prefix);
  const some = (schemas: unknown, sign: string) => `(${(schemas as unknown[]).map(of).join(sign)})`;
  const name = nameOf(schema);
  if (name !== undefined) return prefix + name;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) {
    return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  }
  if (schema.anyOf ?? schema.oneOf) return some(schema.anyOf ?? schema.oneOf, " | ");
  if (schema.allOf) return some(schema.allOf, " & ");
  const kinds = [schema.type].flat().map((kind) => {
    if (kind === "array") return `Array<${of(schema.items ?? {})}>`;
    if (kind === "object") return objectType(schema, of);
    return kind === "integer" ? "number" : kind ?? "unknown";
  });
  return kinds.join(" | ");
}

function objectType(schema: JsonSchema, of: (schema: unknown) => string): string {
  const { properties = {}, required = [], additionalProperties: others } = schema;
  const entries = Object.entries(properties as Record<string, JsonSchema>);
  const lines = entries.map(([name, inner]) => {
    const mark = (required as string[]).includes(name) ? "" : "?";
    return `${comment(inner.description)}${JSON.stringify(name)}${mark}: ${of(inner)};\n`;
  });
  if (typeof others === "object" && others !== null) {
    lines.push(`[name: string]: ${of(others)}${entries.length > 0 ? " | undefined" : ""};\n`);
  } else if (entries.length === 0) lines.push("[name: string]: unknown;\n");
  return `{\n${lines.join("")}}`;
}

/** The module of the types of all components. */
export const schemasModule = (schemas: Record<string, JsonSchema>): string =>
  Object.entries(schemas).map(([name, schema]) =>
    `${comment(schema.description)}export type ${name} = ${typeOf(schema)};\n`
  ).join("\n");
