import type { OpenApiDocument } from "../core/openapi/document.ts";
import { escapeXml } from "./http/xml.ts";

/** The parts of a schema that the page shows. */
interface Shown {
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
  title?: string;
  description?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
}

interface ShownOperation {
  operationId: string;
  summary: string;
  tags: string[];
  parameters?: { name: string; in: string; schema: Shown; description?: string }[];
  requestBody?: { content: Record<string, { schema: Shown }> };
  responses: Record<string, { content?: Record<string, { schema?: Shown }> }>;
}

/** The whole interface as one page that needs nothing else. */
export function referencePage(document: OpenApiDocument): string {
  const { info, tags, components } = document;
  const schemas = Object.entries(components.schemas!) as [string, Shown][];
  const links = tags.map(({ name }) => `<a href="#${name}">${name}</a>`);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeXml(info.title)} ${info.version}: reference</title>
<style>${style}</style>
<h1>${escapeXml(info.title)} ${info.version}</h1>
<p>${escapeXml(info.description)}</p>
<p>The same for programs: <a href="openapi.json">OpenAPI 3.1</a>.</p>
<nav>${links.join("\n")}
<a href="#schemas">Schemas</a></nav>
${tags.map(({ name }) => section(name, document)).join("")}
<h2 id="schemas">Schemas</h2>
${schemas.map(([name, schema]) => schemaPart(name, schema)).join("")}
</html>
`;
}

const style = `
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
  nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem }
  h2 { margin-top: 3rem; border-bottom: 1px solid #ccc }
  h3 { font: 600 1rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere }
  h3 { margin-top: 2rem }
  table { border-collapse: collapse; width: 100% }
  td { border-bottom: 1px solid #ddd; padding: .15rem .5rem; vertical-align: top }
  td:first-child { width: 14rem; font-family: ui-monospace, monospace }
  p { margin: .25rem 0 }
`;

/** The operations under one heading. */
function section(tag: string, { paths }: OpenApiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) =>
      [method, path, operation as unknown as ShownOperation] as const
    )
  );
  const own = operations.filter(([, , { tags }]) => tags.includes(tag));
  const parts = own.map(([method, path, operation]) => operationPart(method, path, operation));
  return `<h2 id="${tag}">${tag}</h2>\n${parts.join("")}`;
}

function operationPart(method: string, path: string, operation: ShownOperation): string {
  const { operationId, summary, parameters = [], requestBody, responses } = operation;
  const rows = parameters.filter(({ name, description }) => description && name !== "AccountSid")
    .map(({ name, schema, description }) => row(name, schema, description));
  const [form] = Object.values(requestBody?.content ?? {});
  const [type, answer] = Object.entries(responses["200"]?.content ?? {})[0] ?? [];
  const answered = answer?.schema ? typeOf(answer.schema) : type ?? "nothing";
  return `<h3 id="${operationId}">${method.toUpperCase()} ${escapeXml(path)}</h3>
<p>${escapeXml(summary)}.</p>
${table(rows)}${form ? `<p>Body: ${typeOf(form.schema)}</p>\n` : ""}<p>Answer: ${answered}</p>
`;
}

function schemaPart(name: string, schema: Shown): string {
  const required = schema.required ?? [];
  const rows = Object.entries(schema.properties ?? {}).map(([key, value]) =>
    row(key, value, value.description, required.includes(key))
  );
  const content = schema.properties ? table(rows) : `<p>${typeOf(schema)}</p>\n`;
  return `<h3 id="schema-${name}">${name}</h3>\n${content}`;
}

const table = (rows: string[]): string =>
  rows.length === 0 ? "" : `<table>\n${rows.join("")}</table>\n`;

const row = (name: string, schema: Shown, description = "", isRequired = false): string =>
  `<tr><td>${escapeXml(name)}<td>${typeOf(schema)}${isRequired ? ", required" : ""}` +
  `<td>${escapeXml(description)}${meanings(schema)}\n`;

/** The values of a field of which each has a meaning. */
const meanings = ({ oneOf = [] }: Shown): string =>
  oneOf.map((one) => `<p>${one.const}: ${escapeXml(`${one.title}. ${one.description}`)}</p>`).join(
    "",
  );

/** A schema in a few words. */
function typeOf(schema: Shown): string {
  const { $ref, anyOf, oneOf, items, format, type, contentSchema } = schema;
  if ($ref !== undefined) {
    const name = $ref.split("/").at(-1)!;
    return `<a href="#schema-${name}">${name}</a>`;
  }
  if (anyOf !== undefined) return anyOf.map(typeOf).join(" or ");
  if (oneOf !== undefined) return "one of these";
  if (schema.const !== undefined) return escapeXml(JSON.stringify(schema.const));
  if (schema.enum !== undefined) return escapeXml(schema.enum.map(String).join(" | "));
  if (items !== undefined) return `list of ${typeOf(items)}`;
  if (contentSchema !== undefined) return `text of ${typeOf(contentSchema)}`;
  const each = schema.additionalProperties;
  if (typeof each === "object") return `names, each with ${typeOf(each)}`;
  const kind = [type ?? "any"].flat().join(" or ");
  return kind + (format === undefined ? "" : ` (${format})`) + bounds(schema);
}

function bounds({ minimum, maximum, maxLength }: Shown): string {
  const range = maximum === undefined ? "" : ` from ${minimum ?? ""} to ${maximum}`;
  return range + (maxLength === undefined ? "" : `, at most ${maxLength} characters`);
}
