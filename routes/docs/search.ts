import type { Page } from "./page.ts";
import type { Documentation } from "./pages.ts";
import { escape, type Section } from "./markdown.ts";

const mostResults = 30;
const excerptLength = 160;

interface Found {
  page: Page;
  section: Section;
  rank: number;
}

/** The sections that have every word of a query, the best first, as HTML. */
export function searchResults(
  { pages }: Documentation,
  query: string,
  docs: string,
): string {
  const words = query.toLowerCase().split(/\s+/).filter((word) => word !== "").slice(0, 10);
  const found = words.length === 0 ? [] : find(pages, words);
  const items = found.slice(0, mostResults).map(({ page, section }) => {
    const address = `${docs}/${page.path}#${section.id}`;
    const where = section.heading === page.title ? "" : `${page.title}: `;
    return `<li><a href="${escape(address)}">${escape(where + section.heading)}</a>
<p>${escape(excerptOf(section.text, words[0] ?? ""))}</p></li>`;
  });
  const status = words.length === 0
    ? "Type words into the search field."
    : `${found.length === 0 ? "Nothing" : found.length} found for “${query}”.`;
  return `<h1>Search</h1>
<p role="status">${escape(status)}</p>
<ol class="results">${items.join("\n")}</ol>`;
}

function find(pages: Documentation["pages"], words: string[]): Found[] {
  const all = [...pages.values()].flatMap((page) =>
    page.sections.map((section) => ({ page, section, rank: rankOf(page, section, words) }))
  );
  return all.filter(({ rank }) => rank > 0).sort((one, other) => other.rank - one.rank);
}

/** 0 unless every word is there; a word in a heading counts more than one in the text. */
function rankOf(page: Page, { heading, text }: Section, words: string[]): number {
  const title = page.title.toLowerCase();
  const [ofHeading, ofText] = [heading.toLowerCase(), text.toLowerCase()];
  let rank = 0;
  for (const word of words) {
    const own = (ofHeading.includes(word) ? 8 : 0) + (ofText.includes(word) ? 1 : 0);
    if (own === 0 && !title.includes(word)) return 0;
    rank += own + (title.includes(word) ? 4 : 0);
  }
  return rank;
}

function excerptOf(text: string, word: string): string {
  const plain = text.replaceAll(/[*`#|>[\]]/g, "").replaceAll(/\s+/g, " ").trim();
  const at = Math.max(0, plain.toLowerCase().indexOf(word) - 40);
  const cut = plain.slice(at, at + excerptLength);
  return (at > 0 ? "…" : "") + cut + (plain.length > at + excerptLength ? "…" : "");
}
