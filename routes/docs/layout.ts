import { html, raw } from "hono/html";
import { siteHeader } from "../http/site_header.ts";

/** A page in the sidebar. */
export interface Entry {
  title: string;
  /** Below the folder of the documentation; empty for its first page. */
  path: string;
}

export interface Group {
  name: string;
  entries: Entry[];
}

export interface Layout {
  title: string;
  /** The path of the page, as in its entry. */
  path: string;
  /** The page between header and footer, as HTML. */
  content: string;
  groups: Group[];
  /** Text that the reader searched for. */
  query?: string;
  /** The path of the service's address, without a slash at its end. */
  prefix: string;
  /** The first segments of the paths that the service has. */
  served: readonly string[];
}

type Html = ReturnType<typeof html>;

/** A whole page: header, sidebar and content. It needs no script. */
export function layout(
  { title, path, content, groups, query = "", prefix, served }: Layout,
): Html {
  const docs = `${prefix}/docs`;
  return html`
    <!DOCTYPE html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>${title} – Switchboard</title>
        <link rel="icon" href="${docs}/assets/icon.svg" type="image/svg+xml">
        <link rel="stylesheet" href="${docs}/assets/docs.css">
      </head>
      <body>
        <a class="skip" href="#content">Skip to content</a>
        ${siteHeader(
          { prefix, served, current: "docs" },
          html`
            <form role="search" action="${docs}/search">
              <label class="hidden" for="q">Search the documentation</label>
              <input id="q" name="q" type="search" placeholder="Search" value="${query}">
              <button type="submit">Search</button>
            </form>
          `,
        )}
        <div class="columns">
          <nav class="side" aria-label="Documentation">
            <details>
              <summary>All pages</summary>
              ${sidebar(groups, path, docs)}
            </details>
            <div class="always">${sidebar(groups, path, docs)}</div>
          </nav>
          <main id="content" tabindex="-1">
    ${raw(content)}
          </main>
        </div>
      </body>
    </html>
  `;
}

const sidebar = (groups: Group[], path: string, docs: string): Html[] =>
  groups.map(({ name, entries }) =>
    html`<p class="group">${name}</p>
<ul>${
      entries.map((entry) =>
        html`<li><a href="${docs}${entry.path && `/${entry.path}`}"${
          entry.path === path ? raw(' aria-current="page"') : ""
        }>${entry.title}</a></li>`
      )
    }</ul>`
  );
