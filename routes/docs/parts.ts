import { anchorOf, codeBlock, escape, type Section } from "./markdown.ts";
import type { Page } from "./page.ts";
import { prose } from "./schema_text.ts";

/** A page of the reference, made of its parts. */
export const page = (path: string, title: string, lead: string, parts: Part[]): Page => ({
  path: `api/${path}`,
  group: "api",
  title,
  lead,
  html: `<h1 id="${anchorOf(title)}">${escape(title)}</h1>\n<p>${prose(lead)}</p>\n` +
    contents(parts) +
    parts.map(({ id, heading, html }) => `<h2 id="${id}">${escape(heading)}</h2>\n${html}`).join(
      "\n",
    ),
  sections: [
    section({ id: anchorOf(title), heading: title, text: lead }),
    ...parts.map(section),
  ],
});

const section = ({ id, heading, text }: Pick<Part, "id" | "heading" | "text">): Section => ({
  id,
  heading,
  text,
  lower: text.toLowerCase(),
});

/** The table of contents of a long page. */
const contents = (parts: Part[]): string =>
  parts.length < 3
    ? ""
    : `<ul class="contents">${
      parts.map(({ id, heading }) => `<li><a href="#${id}">${escape(heading)}</a></li>`).join("\n")
    }</ul>\n`;

/** The content below one heading of a generated page. */
export interface Part {
  id: string;
  heading: string;
  html: string;
  /** The text for the search. */
  text: string;
}

/** The languages one below the other; the first is open. */
export const tabs = (examples: [string, string][]): string =>
  examples.map(([language, code], at) =>
    `<details class="example"${at === 0 ? " open" : ""}><summary>${language}</summary>${
      codeBlock(code)
    }</details>`
  ).join("\n");
