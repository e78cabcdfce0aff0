import type { OpenApiDocument } from "../../core/openapi/document.ts";
import { examplesOf } from "./examples.ts";
import { anchorOf, codeBlock, escape } from "./markdown.ts";
import type { Page } from "./page.ts";
import { overview } from "./overview.ts";
import { page, type Part, tabs } from "./parts.ts";
import {
  type AddressOf,
  nameIn,
  prose,
  type Row,
  rowsOf,
  type Shown,
  tableOf,
  typeOf,
} from "./schema_text.ts";

/** The pages of the reference from the OpenAPI document: one for each resource, and some more. */

interface Media {
  schema?: Shown;
  example?: unknown;
}

interface Described {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security?: unknown[];
  parameters?: {
    name: string;
    in: string;
    required?: boolean;
    schema: Shown;
    description: string;
  }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { content?: Record<string, Media> }>;
}

interface Operation {
  method: string;
  path: string;
  described: Described;
  /** True when PUT does the same. */
  isPutToo?: boolean;
}

interface Context {
  document: OpenApiDocument;
  /** The path of the documentation. */
  docs: string;
  baseUrl: string;
  addressOf: AddressOf;
}

/** A tag as words and as a path: IncomingPhoneNumber is at incoming-phone-number. */
const words = (tag: string): string =>
  tag.replaceAll(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, " ");
const slug = (tag: string): string => anchorOf(words(tag));

/** Every page of the reference, each rendered when it is called. */
export function referencePages(
  document: OpenApiDocument,
  { docs, baseUrl }: { docs: string; baseUrl: string },
): (() => Page)[] {
  const context = { document, docs, baseUrl, addressOf: addressesOf(document, docs) };
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, described]) => ({
      method: method.toUpperCase(),
      path,
      described: described as unknown as Described, // The document types it as plain JSON.
    }))
  );
  const tagged = document.tags.map(({ name, description }) => () => {
    const own = withoutTwins(operations.filter(({ described }) => described.tags.includes(name)));
    return resourcePage({ name, description }, own, context);
  });
  return [
    () => overview(context),
    ...tagged,
    () => webhookPage(context),
    () => flowPage(context),
    () => errorPage(context),
  ];
}

/** PUT does the same as POST at the same path: one part shows both. */
function withoutTwins(operations: Operation[]): Operation[] {
  const puts = new Set(operations.filter(({ method }) => method === "PUT").map(({ path }) => path));
  return operations.filter(({ method }) => method !== "PUT")
    .map((one) => ({ ...one, isPutToo: one.method === "POST" && puts.has(one.path) }));
}

/** Pages of schemas: records on the page of their tag, steps on that of flows. */
function addressesOf({ tags, components }: OpenApiDocument, docs: string): AddressOf {
  const tagNames = tags.map(({ name }) => name);
  return (name) => {
    if (name === "Error") return `${docs}/api/errors`;
    if (/^Flow/.test(name)) return `${docs}/api/flows#${anchorOf(name)}`;
    const tag = tagNames.find((one) => one === name || `${one}List` === name);
    if (tag !== undefined && components.schemas?.[name]) {
      return `${docs}/api/${slug(tag)}#properties`;
    }
    return null;
  };
}

const schemaOf = ({ document }: Context, name: string): Shown | undefined =>
  document.components.schemas?.[name] as Shown | undefined;

function resourcePage(
  { name, description }: { name: string; description: string },
  operations: Operation[],
  context: Context,
): Page {
  const schema = schemaOf(context, name);
  const properties: Part[] = schema?.properties === undefined ? [] : [{
    id: "properties",
    heading: "Properties",
    text: textOf(rowsOf(schema)),
    html: tableOf(
      rowsOf(schema).map((row) => ({ ...row, isRequired: false })),
      context.addressOf,
    ),
  }];
  const parts = operations.map((operation) => operationPart(operation, context));
  return page(slug(name), words(name), description, [...properties, ...parts]);
}

const textOf = (rows: Row[]): string =>
  rows.map(({ name, schema }) => `${name} ${schema.description ?? ""}`).join(" ");

function operationPart(
  { method, path, described, isPutToo }: Operation,
  context: Context,
): Part {
  const { operationId, summary, description, parameters = [], requestBody, security } = described;
  const [body] = Object.values(requestBody?.content ?? {});
  const form = formOf(context, body);
  const rows: Row[] = [
    ...parameters.map(({ name, in: place, required, schema, description }) => ({
      name,
      schema: { ...schema, description },
      isRequired: required === true,
      place,
    })),
    ...rowsOf(form),
  ];
  const [type = "", answer] = Object.entries(described.responses["200"]?.content ?? {})[0] ?? [];
  const examples = examplesOf({
    method,
    url: context.baseUrl + path,
    body: body?.example as Record<string, unknown> | undefined,
    needsCredentials: security === undefined,
    isJson: type === "application/json",
  });
  const response = answer === undefined
    ? "<p>The response is empty (204).</p>"
    : `<p>The response is ${
      answer.schema?.$ref || answer.schema?.type
        ? typeOf(answer.schema, context.addressOf)
        : escape(type)
    }.</p>`;
  return {
    id: operationId,
    heading: summary,
    text: `${description} ${path} ${textOf(rows)}`,
    html: `<p class="path"><code><b>${method}</b>${isPutToo ? " or <b>PUT</b>" : ""} ${
      breakable(path)
    }</code></p>
<p>${prose(description)}</p>
${rows.length > 0 ? tableOf(rows, context.addressOf) : ""}${tabs(examples)}
${response}${exampleOf(answer)}`,
  };
}

/** The schema of a form; an empty one when the request has no body. */
function formOf(context: Context, body: Media | undefined): Shown {
  const $ref = body?.schema?.$ref;
  return $ref === undefined ? {} : schemaOf(context, nameIn($ref)) ?? {};
}

/** A path that may break after each slash. */
const breakable = (path: string): string => escape(path).replaceAll("/", "/<wbr>");

const exampleOf = (answer: Media | undefined): string =>
  answer?.example === undefined
    ? ""
    : `<details><summary>Example of a response</summary>${
      codeBlock(JSON.stringify(answer.example, null, 2))
    }</details>`;

function webhookPage(context: Context): Page {
  const lead =
    "The requests that the service sends to your server: status callbacks, and requests " +
    "for call-control markup.";
  const parts = Object.entries(context.document.webhooks).map(([name, item]): Part => {
    const { post } = item as unknown as { post: Described }; // Plain JSON as well.
    const [body] = Object.values(post.requestBody?.content ?? {});
    const rows = rowsOf(formOf(context, body));
    return {
      id: anchorOf(name),
      heading: post.summary,
      text: `${name} ${post.description} ${textOf(rows)}`,
      html: `<p>${prose(post.description)}</p>\n${tableOf(rows, context.addressOf)}`,
    };
  });
  return page("webhooks", "Webhooks", lead, parts);
}

function flowPage(context: Context): Page {
  const lead =
    "A flow is the JSON text in the parameter Flow of an Application: it handles calls, " +
    "messages and USSD dialogues without a server.";
  const names = Object.keys(context.document.components.schemas ?? {})
    .filter((name) => /^Flow/.test(name));
  const parts = names.map((name): Part => {
    const schema = schemaOf(context, name) ?? {};
    const rows = rowsOf(schema);
    const content = rows.length > 0
      ? tableOf(rows, context.addressOf)
      : `<p>${typeOf(schema, context.addressOf)}</p>`;
    return {
      id: anchorOf(name),
      heading: name,
      text: `${schema.description ?? ""} ${textOf(rows)}`,
      html: `<p>${prose(schema.description ?? "")}</p>\n${content}`,
    };
  });
  return page("flows", "Flows", lead, parts);
}

function errorPage(context: Context): Page {
  const lead = "Every error has a stable code. Errors of requests and of calls, messages and " +
    "webhooks (Notifications) share the codes.";
  const { code = {}, ...others } = schemaOf(context, "Error")?.properties ?? {};
  const properties = { id: "properties", heading: "Properties", text: "" };
  const rows = rowsOf({ properties: { code, ...others } });
  const codes = Object.entries(code["x-enumDescriptions"] ?? {}).map(([number, text]): Part => ({
    id: number,
    heading: number,
    text,
    html: `<p>${prose(text)}</p>`,
  }));
  const table = { ...properties, html: tableOf(rows, context.addressOf) };
  return page("errors", "Errors", lead, [table, ...codes]);
}
