import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/2020";
import { openApiDocument } from "../../core/openapi/document.ts";

export const document = openApiDocument({ baseUrl: "http://api.test", clientPasswordMin: 4 });

/** Objects with no other properties than those they name, so that each one written must be described. */
const exact = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(exact);
  if (typeof schema !== "object" || schema === null) return schema;
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, exact(value)]),
  );
  const isClosed = inner.type === "object" && inner.properties !== undefined;
  return isClosed ? { ...inner, additionalProperties: false } : inner;
};

const ajv = new Ajv2020({
  allErrors: true,
  allowUnionTypes: true,
  formats: {
    "date-time": (text: string) => !Number.isNaN(Date.parse(text)),
    date: /^\d{4}-\d\d-\d\d$/,
    email: /^[^@\s]+@[^@\s]+$/,
    uri: (text: string) => URL.canParse(text),
    "uri-reference": (text: string) => URL.canParse(text, "http://api.test"),
  },
}).addVocabulary(["components"]).addSchema(
  { components: exact(document.components) },
  "openapi",
  undefined,
  false,
);

/** Asserts that a value is as a schema of the components says, no more and no less. */
export function assertFits(name: string, value: unknown): void {
  assertFitsSchema({ $ref: `#/components/schemas/${name}` }, value, name);
}

/** Asserts that a value is as a schema somewhere in the document says. */
export function assertFitsSchema(schema: unknown, value: unknown, what: string): void {
  const text = JSON.stringify(exact(schema)).replaceAll('"#/', '"openapi#/');
  const validate = ajv.compile(JSON.parse(text));
  assert.ok(
    validate(value),
    `${what}: ${ajv.errorsText(validate.errors)} in ${Deno.inspect(value)}`,
  );
}
