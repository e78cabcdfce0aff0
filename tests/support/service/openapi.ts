import assert from "node:assert/strict";
import { Ajv2020, type ValidateFunction } from "ajv/2020";
import { openApiDocument } from "../../../core/openapi/document.ts";

export const document = openApiDocument({
  baseUrl: "http://api.test",
  clientPasswordMin: 4,
  recordingsOpenInS3: false,
});

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
}).addVocabulary(["components", "discriminator", "x-enumDescriptions"]).addSchema(
  { components: exact(document.components) },
  "openapi",
  undefined,
  false,
);

/** Asserts that a value is as a schema of the components says, no more and no less. */
export function assertFits(name: string, value: unknown): void {
  assertFitsSchema({ $ref: `#/components/schemas/${name}` }, value, name);
}

/** Returns whether a value matches a schema of the components exactly. */
export const fits = (name: string, value: unknown): boolean =>
  validatorOf({ $ref: `#/components/schemas/${name}` })(value);

/** Asserts that a value is as a schema somewhere in the document says. */
export function assertFitsSchema(schema: unknown, value: unknown, what: string): void {
  const validate = validatorOf(schema);
  assert.ok(
    validate(value),
    `${what}: ${ajv.errorsText(validate.errors)} in ${Deno.inspect(value)}`,
  );
}

const validators = new Map<unknown, ValidateFunction>();

/** Compiled once for each place in the document: that takes longer than all else of a request. */
function validatorOf(schema: unknown): ValidateFunction {
  const text = JSON.stringify(exact(schema)).replaceAll('"#/', '"openapi#/');
  const validate = validators.get(text) ?? ajv.compile(JSON.parse(text));
  validators.set(text, validate);
  return validate;
}

interface Described {
  responses: Record<string, { content?: Record<string, { schema?: unknown }> }>;
}

/** The paths of the document, those with the fewest parameters first: `Local` before `{Sid}`. */
const described = Object.entries(document.paths)
  .map(([path, operations]) => [path.replace(/\.json$/, ""), operations] as const)
  .map(([path, operations]) => ({
    pattern: new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`),
    parameters: path.split("{").length,
    operations: operations as unknown as Record<string, Described>,
  }))
  .sort((one, other) => one.parameters - other.parameters);

const pathOf = (url: string): string => new URL(url).pathname.replaceAll(/\.json(?=\/|$)/g, "");

/** Asserts that the document has a status for a path and method, where that is no error. */
export function assertStatusDescribed(
  { method, url }: Pick<Request, "method" | "url">,
  status: number,
): void {
  if (status >= 400) return;
  const path = pathOf(url);
  const name = method === "HEAD" ? "get" : method.toLowerCase();
  const isKnown = described.some(({ pattern, operations }) =>
    pattern.test(path) && operations[name]?.responses[status] !== undefined
  );
  assert.ok(isKnown, `${method} ${path} → ${status} is not described`);
}

/** Asserts that a JSON answer is one that the document has for its path, method and status. */
export function assertDescribed(
  request: Pick<Request, "method" | "url">,
  { status, body }: { status: number; body: unknown },
): void {
  const path = pathOf(request.url);
  const what = `${request.method} ${path} → ${status}`;
  const known = described.find(({ pattern }) => pattern.test(path))?.operations;
  const responses = known?.[request.method.toLowerCase()]?.responses;
  const own = responses?.[status]?.content?.["application/json"]?.schema;
  if (own !== undefined) assertFitsSchema(own, body, what);
  else if (status >= 400) assertFits("Error", body);
  else assert.fail(`${what} is not described`);
}
