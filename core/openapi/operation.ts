import { limits } from "../base/limits.ts";
import type { JsonSchema } from "./schemas.ts";

/** One thing that can be asked of the service. */
export interface Operation {
  method: "get" | "post" | "put" | "delete";
  /** Without `.json`; parameters in braces. */
  path: string;
  id: string;
  summary: string;
  /** Under which heading it stands. */
  tag: string;
  query?: JsonSchema[];
  /** The body that it takes. */
  form?: JsonSchema;
  /** The JSON of its answer; without it the answer is empty. */
  answer?: JsonSchema;
  /** The content types of its answer, where they are not JSON and XML. */
  types?: string[];
  /** What it answers beside that and the error body, by status. */
  also?: Record<number, JsonSchema>;
  /** Whether credentials are asked for. */
  access?: "open" | "link";
}

export const accountsPath = `/${limits.apiVersion}/Accounts`;
export const accountPath = `${accountsPath}/{AccountSid}`;
export const jsonType = "application/json";

const pathParameters: Record<string, JsonSchema> = {
  AccountSid: {
    schema: { type: "string" },
    description: "The Sid or the e-mail address of an account.",
  },
  CountryCode: { schema: { type: "string" }, description: "Two letters (ISO 3166-1)." },
  Day: { schema: { type: "string", format: "date" }, description: "A day in UTC." },
};

const parametersIn = (path: string): JsonSchema[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    ...(pathParameters[name!] ?? { schema: { type: "string" } }),
  }));

/** The operation as the document has it, answering in these types. */
function operationObject(operation: Operation, id: string, types: string[]): JsonSchema {
  const { summary, tag, path, query = [], form, answer, also, access } = operation;
  const parameters = [...parametersIn(path), ...query];
  return {
    operationId: id,
    summary,
    tags: [tag],
    ...(access && { security: access === "open" ? [] : [{ basic: [] }, {}] }),
    ...(parameters.length > 0 && { parameters }),
    ...(form && {
      requestBody: {
        content: {
          "application/x-www-form-urlencoded": { schema: form },
          [jsonType]: { schema: form },
        },
      },
    }),
    responses: {
      ...(answer === undefined
        ? { 204: { description: "Done." } }
        : { 200: { description: "Done.", content: contentOf(answer, types) } }),
      ...also,
      default: { $ref: "#/components/responses/Error" },
    },
  };
}

const contentOf = (answer: JsonSchema, types: string[]): JsonSchema =>
  Object.fromEntries(
    types.map((type) => [type, type === jsonType ? { schema: answer } : {}]),
  );

/** Every path with what it answers; those that answer in JSON stand with `.json` as well. */
export function pathsOf(operations: Operation[]): Record<string, Record<string, JsonSchema>> {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const operation of operations) {
    const { method, path, id, types = [jsonType, "application/xml"] } = operation;
    (paths[path] ??= {})[method] = operationObject(operation, id, types);
    if (!types.includes(jsonType)) continue;
    (paths[`${path}.json`] ??= {})[method] = operationObject(operation, `${id}Json`, [jsonType]);
  }
  return paths;
}
