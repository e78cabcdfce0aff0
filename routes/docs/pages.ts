import { createTurns } from "../../core/base/turns.ts";
import type { OpenApiDocument } from "../../core/openapi/document.ts";
import type { Group } from "./layout.ts";
import { escape, renderMarkdown } from "./markdown.ts";
import type { Page } from "./page.ts";
import { referencePages } from "./reference.ts";

/** The sources of the documentation. */
export interface DocumentationFiles {
  /** The Markdown of `docs/`, by path without `.md`. */
  pages: Map<string, string>;
  /** Other files, by path below `docs/` or, for those of all pages, below `assets/`. */
  assets: Map<string, { type: string; bytes: Uint8Array<ArrayBuffer> }>;
}

/** The whole documentation: pages by path, and the sidebar. */
export interface Documentation {
  pages: Map<string, Page>;
  groups: Group[];
}

/** The folders of `docs/`, in the order of the sidebar. */
const folders: Record<string, string> = {
  tutorials: "Tutorials",
  "how-to": "How-to",
  reference: "Reference",
  api: "REST interface",
  explanation: "Explanation",
  decisions: "Decisions",
  "": "More",
};

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.indexOf("/")));

/** The path of a page; the first of a folder is at the folder. */
const addressOf = (path: string): string => path.replace(/(^|\/)(index|README)$/, "");

/**
 * Maps a link in the page at `from` to an address; null when no file of the documentation has it.
 */
function linkFrom(from: string, files: DocumentationFiles, docs: string) {
  return (href: string): string | null => {
    if (/^(https?:|mailto:)/.test(href)) return URL.canParse(href) ? href : null;
    if (href.startsWith("#")) return href;
    if (href.startsWith("/")) return docs.slice(0, -"/docs".length) + href;
    const { pathname, hash } = new URL(href, `http://docs/${from}`);
    const path = decodeURIComponent(pathname.slice(1));
    const isInside = !escapes(from, href);
    const page = path.replace(/\.md$/, "");
    if (isInside && path.endsWith(".md") && files.pages.has(page)) {
      return `${docs}/${page}`.replace(/\/(index|README)$/, "") + hash;
    }
    return isInside && files.assets.has(path) ? `${docs}/${path}` : null;
  };
}

/** True for a relative link out of the folder of the documentation. */
function escapes(from: string, href: string): boolean {
  let depth = from.split("/").length - 1;
  for (const part of href.split("/")) {
    if (part === "..") depth--;
    if (depth < 0) return true;
  }
  return false;
}

/** Renders all pages, piece by piece. `prefix` is the path of the service's address. */
export async function documentationOf(
  files: DocumentationFiles,
  document: OpenApiDocument,
  { prefix, baseUrl }: { prefix: string; baseUrl: string },
): Promise<Documentation> {
  const docs = `${prefix}/docs`;
  const written = [...files.pages].map(([path, markdown]) => (): Page => ({
    path: addressOf(path),
    group: folderOf(path),
    ...renderMarkdown(markdown, linkFrom(path, files, docs)),
  }));
  const turn = createTurns();
  const all: Page[] = [];
  for (const render of [...written, ...referencePages(document, { docs, baseUrl })]) {
    all.push(render());
    await turn();
  }
  const start = all.find(({ path }) => path === "");
  const others = all.filter((page) => page !== start);
  const groups = groupsOf(others, start === undefined ? [] : linkedFrom(start, docs));
  const first: Page = {
    ...start ?? startOf(others, groups, docs),
    path: "",
  };
  return {
    pages: new Map([["", first], ...others.map((page) => [page.path, page] as const)]),
    groups: [{ name: "Documentation", entries: [{ title: "Overview", path: "" }] }, ...groups],
  };
}

/** The paths that the first page leads to, in its order. */
const linkedFrom = ({ html }: Page, docs: string): string[] =>
  [...html.matchAll(/<a href="([^"#]*)/g)].map(([, href = ""]) => href)
    .filter((href) => href.startsWith(`${docs}/`)).map((href) => href.slice(docs.length + 1));

/** Pages by folder: those that the first page leads to in its order, then the others by title. */
function groupsOf(pages: Page[], linked: string[]): Group[] {
  const placeOf = (path: string): number => {
    const at = linked.indexOf(path);
    return at < 0 ? linked.length : at;
  };
  const unknown = [...new Set(pages.map(({ group }) => group))].filter((one) => !(one in folders));
  return [...Object.keys(folders), ...unknown].map((folder) => ({
    name: folders[folder] ?? folder,
    entries: pages.filter(({ group }) => group === folder)
      .map(({ path, title }) => ({ path, title }))
      .sort((one, other) =>
        indexFirst(one.path, other.path) || placeOf(one.path) - placeOf(other.path) ||
        one.title.localeCompare(other.title)
      ),
  })).filter(({ entries }) => entries.length > 0);
}

/** Orders the first page of a folder before the others. */
const indexFirst = (one: string, other: string): number =>
  Number(isFirst(other)) - Number(isFirst(one));
const isFirst = (path: string): boolean => !path.includes("/") || path === "api/overview";

/** The first page, where `docs/` has none: a list of all pages with their first sentences. */
function startOf(pages: Page[], groups: Group[], docs: string): Page {
  const leadOf = (path: string) => pages.find((page) => page.path === path)?.lead ?? "";
  const parts = groups.map(({ name, entries }) => {
    const items = entries.map(({ path, title }) =>
      `<li><a href="${docs}/${path}">${escape(title)}</a> <span>${
        escape(firstSentence(leadOf(path)))
      }</span></li>`
    );
    return `<h2>${escape(name)}</h2>\n<ul class="overview">${items.join("\n")}</ul>`;
  });
  const lead = "Switchboard is a programmable telephony and messaging service.";
  const html = `<h1>Documentation</h1>\n<p>${lead}</p>\n${parts.join("\n")}`;
  return { path: "", group: "", title: "Documentation", lead, html, sections: [] };
}

const firstSentence = (text: string): string => /^.*?\.(?=\s|$)/s.exec(text)?.[0] ?? text;
