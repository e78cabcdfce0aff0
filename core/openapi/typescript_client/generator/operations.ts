import { limits } from "../../../base/limits.ts";
import type { OpenApiDocument } from "../../document.ts";
import { jsonType } from "../../operation.ts";
import { type JsonSchema, nameOf } from "../../schemas.ts";
import { comment, typeOf } from "./types.ts";

interface Parameter {
  name: string;
  in: string;
  description: string;
  schema: JsonSchema;
}

type Content = Record<string, { schema?: JsonSchema }>;

/** An operation of the document, as far as a method of the client needs it. */
interface Described {
  operationId: string;
  description: string;
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
}

const head = `import { list, type List } from "./list.ts";
import { ApiError, type Options, sender } from "./send.ts";
import type * as schemas from "./schemas.ts";

/** The codes of the service's errors. */
export type ErrorCode = schemas.Error["code"];

/** True when a request was rejected with an error response. */
export const isApiError = (error: unknown): error is ApiError<ErrorCode> =>
  error instanceof ApiError;

/** The operations of the service. */
export type Switchboard = ReturnType<typeof connect>;

/** Gives the operations of the service. Requests nothing by itself. */
export function connect(options: Options) {
  const send = sender(options);
  const account = encodeURIComponent(options.subAccountSid ?? options.accountSid);
  return {
`;

/**
 * The module with a method for each operation. POST and PUT of an update are one method. What only
 * repeats another operation below the older version of the interface has none.
 */
export function operationsModule({ paths, components }: OpenApiDocument): string {
  const methods = Object.entries(paths)
    .filter(([path]) => !path.startsWith(`/${limits.gatewayApiVersion}/`))
    .flatMap(([path, item]) => {
      // The type of a path has named methods; here it is read as plain JSON.
      const operations = Object.entries(item as unknown as Record<string, Described>);
      return operations.filter(([method]) => method !== "put").map(([method, operation]) => {
        // A resource that can be deleted is a setting: writing the same values twice is as good as once.
        const isSetting = method === "post" && item.put !== undefined && item.delete !== undefined;
        const sent = { path, method: isSetting ? "put" : method };
        return methodText(sent, operation, components.schemas!);
      });
    });
  return `${head}${methods.join("\n")}  };\n}\n`;
}

function methodText(
  { path, method }: { path: string; method: string },
  { operationId, description, parameters = [], requestBody, responses }: Described,
  schemas: Record<string, JsonSchema>,
): string {
  const inPath = parameters.filter(({ name, in: place }) =>
    place === "path" && name !== "AccountSid"
  );
  const form = requestBody?.content[jsonType]?.schema;
  const query = parameters.filter((parameter) => parameter.in === "query");
  const isMaking = parameters.some(({ name }) => name === "Idempotency-Key");
  const taken = [
    ...inPath.map(({ name, schema }) => `${argument(name)}: ${typeOf(schema)}`),
    ...form ? [`body: ${typeOf(form, "schemas.")}`] : [],
    ...query.length > 0 ? [`query: ${queryType(query)} = {}`] : [],
    ...isMaking ? ["idempotencyKey: string = crypto.randomUUID()"] : [],
  ];
  const address = path.replaceAll(
    /\{(\w+)\}/g,
    (_, name) => name === "AccountSid" ? "${account}" : `\${encodeURIComponent(${argument(name)})}`,
  );
  const wanted = `{ method: "${method.toUpperCase()}", path: \`${address}\`, ` +
    `${form ? "body, " : ""}${query.length > 0 ? "query, " : ""}` +
    `${isMaking ? "idempotencyKey, " : ""}isIdempotent: ${isMaking || method !== "post"} }`;
  const result = (type: string, call: string) =>
    `${comment(description)}${operationId}: (${taken.join(", ")}): ${type} => ${call},\n`;
  const then = (change: string) => `send(${wanted}).then((response) => response.${change})`;
  const content = responses[200]?.content;
  if (content === undefined) return result("Promise<void>", then("body?.cancel()"));
  const answer = content[jsonType]?.schema;
  if (answer === undefined) return result("Promise<Response>", `send(${wanted})`);
  const record = recordOf(answer, schemas);
  if (record === undefined) return result(`Promise<${typeOf(answer, "schemas.")}>`, then("json()"));
  return result(`List<schemas.${record}>`, `list(send, \`${address}\`, query)`);
}

/** `CallSid` as the name of an argument. */
const argument = (name: string): string => name[0]!.toLowerCase() + name.slice(1);

const queryType = (parameters: Parameter[]): string => {
  const lines = parameters.map(({ name, description, schema }) =>
    `${comment(description)}${name}?: ${typeOf(schema, "schemas.")};\n`
  );
  return `{\n${lines.join("")}}`;
};

/** The name of the record that a response is a page of; undefined for any other response. */
function recordOf(answer: JsonSchema, schemas: Record<string, JsonSchema>): string | undefined {
  const name = nameOf(answer);
  return name?.endsWith("List") && name in schemas ? name.slice(0, -"List".length) : undefined;
}
