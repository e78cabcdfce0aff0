import { type AnyResource, paramsSchema } from "../model/resource.ts";
import { listParameters } from "./lists.ts";
import { pascal } from "../base/wire.ts";
import { accountPath, type Operation } from "./operation.ts";
import { formSchema, type JsonSchema, refTo } from "./schemas.ts";

/** A type with its article, by the sound it begins with. */
export const one = (type: string): string => (/^([AEIO]|SMS)/.test(type) ? "an " : "a ") + type;

/** Several of a type: Deliveries, Gateways. */
export const plural = (type: string): string => `${type.replace(/([^aeiou])y$/, "$1ie")}s`;

const order = ({ sorted }: AnyResource): string =>
  sorted === undefined ? "newest first" : `sorted by ${pascal(sorted.by)}`;

/** The list of a resource, at a path of its own or at the regular one. */
export const listOperation = (
  definition: AnyResource,
  own: Partial<Operation> = {},
): Operation => ({
  method: "get",
  path: `${accountPath}/${definition.path}`,
  id: `list${plural(definition.type)}`,
  summary: `Lists ${definition.type} records`,
  description: `Lists ${definition.type} records page by page, ${order(definition)}. ` +
    (definition.paged
      ? "The envelope has the paths of the other pages."
      : "The response is an array; the header Link has the addresses of the other pages."),
  tag: definition.type,
  query: listParameters(definition),
  answer: refTo(`${definition.type}List`),
  ...own,
});

export const createOperation = (
  { type, path }: AnyResource,
  own: Partial<Operation> = {},
): Operation => ({
  method: "post",
  path: `${accountPath}/${path}`,
  id: `create${type}`,
  summary: `Creates ${one(type)}`,
  tag: type,
  form: refTo(`${type}Create`),
  answer: refTo(type),
  isMaking: true,
  ...own,
});

export const readOperation = (
  { type, path }: AnyResource,
  own: Partial<Operation> = {},
): Operation => ({
  method: "get",
  path: `${accountPath}/${path}/{Sid}`,
  id: `read${type}`,
  summary: `Reads ${one(type)}`,
  tag: type,
  answer: refTo(type),
  ...own,
});

/** Changes are sent with POST or PUT: either changes only what is sent. */
export const updateOperations = (
  { type, path }: AnyResource,
  own: Partial<Operation> = {},
): Operation[] =>
  (["post", "put"] as const).map((method) => ({
    method,
    path: `${accountPath}/${path}/{Sid}`,
    id: method === "post" ? `update${type}` : `put${type}`,
    summary: `Updates ${one(type)}`,
    description: "Changes the parameters that are sent and keeps all others. " +
      "POST and PUT do the same.",
    tag: type,
    form: refTo(`${type}Update`),
    answer: refTo(type),
    ...own,
  }));

export const removeOperation = ({ type, path }: AnyResource): Operation => ({
  method: "delete",
  path: `${accountPath}/${path}/{Sid}`,
  id: `delete${type}`,
  summary: `Deletes ${one(type)}`,
  tag: type,
});

/** The operations that derive from a declaration, as the routes do. */
export function regularOperations(definition: AnyResource): Operation[] {
  const { create, update, removable } = definition;
  return [
    listOperation(definition),
    ...(create ? [createOperation(definition)] : []),
    readOperation(definition),
    ...(update ? updateOperations(definition) : []),
    ...(removable ? [removeOperation(definition)] : []),
  ];
}

/** The forms that a declaration derives, by the name of their schema. */
export function regularForms(definition: AnyResource): Record<string, JsonSchema> {
  const { type, fields, create, update } = definition;
  const form = (required: readonly string[], optional: readonly string[]) =>
    formSchema({ ...definition, schema: paramsSchema(fields, required, optional) });
  return {
    ...(create && { [`${type}Create`]: form(create.required, create.optional) }),
    ...(update && { [`${type}Update`]: form([], update) }),
  };
}
