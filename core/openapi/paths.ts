import { limits } from "../base/limits.ts";
import { errorResponses } from "./errors.ts";
import type { Examples } from "./examples.ts";
import { headersOf } from "./headers.ts";
import { isJson, jsonType, type Operation } from "./operation.ts";
import { type JsonSchema, nameOf } from "./schemas.ts";

const text: JsonSchema = { type: "string" };
const pathParameters: Record<string, JsonSchema> = {
  AccountSid: {
    schema: text,
    description: "Sid or e-mail address of the caller's own account or of one below it.",
  },
  Sid: { schema: text, description: "Sid of the record." },
  StreamSid: { schema: text, description: "Sid of the Stream, or the name of one that is open." },
  CallSid: { schema: text, description: "Sid of the Call." },
  CountryCode: { schema: text, description: "Country (ISO 3166-1, two letters)." },
  Day: { schema: { type: "string", format: "date" }, description: "Day in UTC, as YYYY-MM-DD." },
  Category: { schema: text, description: "Category of the charges." },
  Code: { schema: { type: "integer" }, description: "Error code." },
};

const parametersIn = (path: string): JsonSchema[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    ...pathParameters[name],
  }));

const idempotencyKey: JsonSchema = {
  name: "Idempotency-Key",
  in: "header",
  description:
    "A key of the client's choice, such as a UUID, for 24 hours: a second request with the " +
    "same key makes nothing and has the response of the first.",
  schema: { type: "string", maxLength: limits.idempotencyKeyLength, pattern: "^[\\x21-\\x7e]+$" },
};

/** The response of a deletion; nothing else is empty. */
const deleted = "The record is deleted.";

function operationObject(operation: Operation, exampleOf: Examples): JsonSchema {
  const { id, summary, description, tag, path, query = [], form, answer, also, access } = operation;
  const parameters = [
    ...parametersIn(path),
    ...query,
    ...operation.isMaking === true ? [idempotencyKey] : [],
  ];
  const headers = headersOf(operation);
  return {
    operationId: id,
    summary,
    description: description ?? `${summary}.`,
    tags: [tag],
    ...(access && { security: access === "open" ? [] : [{ basic: [] }, {}] }),
    ...(parameters.length > 0 && { parameters }),
    ...(form && { requestBody: bodyOf(form, exampleOf) }),
    responses: {
      ...(answer === undefined ? { 204: { description: deleted, headers } } : {
        200: {
          description: "Success.",
          headers,
          content: contentOf(answer, operation, exampleOf),
        },
      }),
      ...also,
      ...errorResponses(operation),
    },
  };
}

/** JSON alone, though a form of the same names is taken as well: generators know one body. */
function bodyOf(form: JsonSchema, exampleOf: Examples): JsonSchema {
  const example = exampleOf(nameOf(form));
  const media = { schema: form, ...(example !== undefined && { example }) };
  return { required: true, content: { [jsonType]: media } };
}

/** The schema of a stream is that of the data of one event. */
const eventsType = "text/event-stream";

function contentOf(
  answer: JsonSchema,
  { types = [jsonType] }: Operation,
  exampleOf: Examples,
): JsonSchema {
  const example = exampleOf(nameOf(answer));
  if (types.includes(eventsType)) return { [eventsType]: { schema: answer } };
  const json = { schema: answer, ...(example !== undefined && { example }) };
  return Object.fromEntries(types.map((type) => [type, type === jsonType ? json : {}]));
}

/**
 * Every path with its operations. An operation that answers in JSON stands once, with `.json`, so
 * that a generated client has it once; without `.json` the same answers XML.
 */
export function pathsOf(
  operations: Operation[],
  exampleOf: Examples,
): Record<string, Record<string, JsonSchema>> {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const operation of operations) {
    const path = operation.path + (isJson(operation) ? ".json" : "");
    (paths[path] ??= {})[operation.method] = operationObject(operation, exampleOf);
  }
  return paths;
}
