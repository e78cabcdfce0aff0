import type { OpenApiDocument } from "../../core/openapi/document.ts";
import { examplesOf } from "./examples.ts";
import { codeBlock, escape, scrolling } from "./markdown.ts";
import type { Page } from "./page.ts";
import { page, type Part, tabs } from "./parts.ts";
import { nameIn, prose, type Shown } from "./schema_text.ts";

interface Context {
  document: OpenApiDocument;
  docs: string;
  baseUrl: string;
}

/** The first page of the reference: rules of every request and every list. */
export function overview(context: Context): Page {
  const [lead = ""] = context.document.info.description.split("\n\n");
  const parts = [firstRequest(context), parameters(), lists(context)];
  return page("overview", "REST interface", lead, parts);
}

function firstRequest({ document, docs, baseUrl }: Context): Part {
  const { description, version } = document.info;
  const [, ...more] = description.split("\n\n");
  const example = examplesOf({
    method: "GET",
    url: `${baseUrl}/2012-04-24/Accounts/{AccountSid}.json`,
    needsCredentials: true,
    isJson: true,
  });
  return {
    id: "first-request",
    heading: "First request",
    text: "credentials AccountSid AuthToken credentials.json base URL",
    html: `${paragraphs(more)}
<p>The base URL is <code>${
      escape(baseUrl)
    }</code>. The first start of the service writes the Sid and
the AuthToken of the root account to <code>credentials.json</code> in its data folder.</p>
${tabs(example)}
<p>For programs: <a href="${docs.slice(0, -5)}/openapi.json">OpenAPI 3.1</a> of version ${
      escape(version)
    }.</p>`,
  };
}

const paragraphs = (texts: string[]): string =>
  texts.map((text) => `<p>${prose(text)}</p>`).join("\n");

const parameterRules = [
  "Names are case-sensitive: `Status`, not `status`. POST and PUT read the body, GET reads the " +
  "query string.",
  "In a form and in a query string `+` means a space: send it as `%2B` (`--data-urlencode` of " +
  "curl). The service is lenient at the beginning of a phone number (`To=+4930…`): it reads a " +
  "space before a digit as `+`.",
  "An unknown parameter is ignored, also in a list: `?Stauts=failed` lists every record. The " +
  "`Warning` header of the response names it, with the name that was probably meant. Check that " +
  "header while you develop:",
];

function parameters(): Part {
  const warning = 'Warning: 299 - "Unknown parameter: Stauts. Did you mean Status?"';
  return {
    id: "parameters",
    heading: "Parameters",
    text: parameterRules.join(" "),
    html: `${paragraphs(parameterRules)}\n${codeBlock(warning)}`,
  };
}

const listRules = [
  "A list is newest first unless its page says otherwise. `PageSize` is the number of records on a " +
  "page. `AfterSid` is the cursor: the page starts after that record, so records that arrive " +
  "meanwhile neither repeat nor shift.",
  "In JSON a list has one of two shapes. An envelope is an object with `total`, `num_pages`, " +
  "`next_page_uri` and the records under the name of the list; `next_page_uri` is the text `null` " +
  "on the last page. An array has the records alone; the `Link` header has the URL of the next " +
  'page (`rel="next"`).',
];

function lists({ document }: Context): Part {
  const rows = listsOf(document).map(({ path, key }) =>
    `<tr><th scope="row"><code>${escape(path)}</code></th><td>${
      key === null ? "array" : `envelope, records in <code>${escape(key)}</code>`
    }</td></tr>`
  );
  const head = "<thead><tr><th>List</th><th>Shape in JSON</th></tr></thead>";
  return {
    id: "lists",
    heading: "Lists",
    text: listRules.join(" "),
    html: paragraphs(listRules) +
      scrolling(`<table>${head}<tbody>${rows.join("\n")}</tbody></table>`),
  };
}

/** The lists of the interface; `key` is the property with the records, null in an array. */
function listsOf({ paths, components }: OpenApiDocument): { path: string; key: string | null }[] {
  return Object.entries(paths).flatMap(([path, { get }]) => {
    // The document types it as plain JSON.
    const described = get as { responses: Record<string, unknown> } | undefined;
    const ok = described?.responses["200"] as
      | { content?: Record<string, { schema?: Shown }> }
      | undefined;
    const schema = ok?.content?.["application/json"]?.schema;
    if (schema === undefined) return [];
    const shape = schema.$ref === undefined
      ? schema
      : components.schemas?.[nameIn(schema.$ref)] as Shown;
    const short = path.replace("/2012-04-24/Accounts/{AccountSid}/", "").replace(
      "/2012-04-24/",
      "",
    );
    if (shape.type === "array") return [{ path: short, key: null }];
    if (shape.properties?.num_pages === undefined) return [];
    const key = Object.entries(shape.properties).find(([, { type }]) => type === "array");
    return [{ path: short, key: key?.[0] ?? null }];
  });
}
