import { createTurns } from "../../core/base/turns.ts";
import type { Page } from "./page.ts";
import type { Documentation } from "./pages.ts";
import { escape, type Section } from "./markdown.ts";
import { alternativesOf, wordsOf } from "./synonyms.ts";

const mostResults = 30;
const mostWords = 10;
const excerptLength = 160;

/** Words that a question has and a section need not have. */
const fillers = new Set(
  "a an and are as at be by can do does for from how i in is it my of on or that the this to use what when where which why with you"
    .split(" "),
);

/** Weight of a result by folder: readers who search want instructions. */
const weights: Record<string, number> = {
  tutorials: 1.5,
  "how-to": 1.5,
  reference: 1.2,
  api: 0.6,
  explanation: 0.8,
  decisions: 0.3,
};
/** Pages of the first folder about the history of Switchboard. */
const histories = new Set(["changelog", "benchmarks", "licences"]);

interface Found {
  page: Page;
  section: Section;
  rank: number;
}

/**
 * Sections that have every word of a query, or one that means the same, the best first, as HTML. The
 * pages are searched in pieces: the first search of a process, by code that is not compiled yet, takes
 * some 25 ms.
 */
export async function searchResults(
  { pages }: Documentation,
  query: string,
  docs: string,
): Promise<string> {
  const all = wordsOf(query);
  const chosen = all.filter((word) => !fillers.has(word));
  const words = (chosen.length > 0 ? chosen : all).slice(0, mostWords).map(alternativesOf);
  const found = words.length === 0 ? [] : await find(pages, words);
  const items = found.slice(0, mostResults).map(({ page, section }) => {
    const address = `${docs}/${page.path}#${section.id}`;
    const where = section.heading === page.title ? "" : `${page.title}: `;
    return `<li><a href="${escape(address)}">${escape(where + section.heading)}</a>
<p>${escape(excerptOf(section, words.flat()))}</p></li>`;
  });
  const status = words.length === 0
    ? "Type words into the search field."
    : `${found.length === 0 ? "Nothing" : found.length} found for “${query}”.`;
  return `<h1>Search</h1>
<p role="status">${escape(status)}</p>
<ol class="results">${items.join("\n")}</ol>`;
}

async function find(pages: Documentation["pages"], words: string[][]): Promise<Found[]> {
  const all: (Found & { missing: number })[] = [];
  const turn = createTurns();
  for (const page of pages.values()) {
    const { group, path, title } = page;
    if (path === "") continue; // The first page names everything and explains nothing.
    const weight = histories.has(path) ? 0.2 : weights[group] ?? 1;
    for (const section of page.sections) {
      const { rank, missing } = rankOf(title.toLowerCase(), section, words);
      all.push({ page, section, rank: weight * rank, missing });
      const others = turn();
      if (others !== undefined) await others;
    }
  }
  // If no section has all of many words, sections that lack one are shown.
  const most = words.length > 2 && !all.some(({ missing }) => missing === 0) ? 1 : 0;
  return all.filter(({ missing }) => missing <= most)
    .sort((one, other) => other.rank - one.rank);
}

/** Score of a section, and the number of words that it lacks; a heading counts more than the text. */
function rankOf(
  title: string,
  { heading, lower }: Section,
  words: string[][],
): { rank: number; missing: number } {
  const [ofHeading, ofText] = [heading.toLowerCase(), lower];
  let [rank, missing] = [0, 0];
  for (const [word = "", ...others] of words) {
    // A word that only means the same counts for half.
    const found = [
      ...others.map((other) => 0.5 * shareOf(other, { title, heading: ofHeading, text: ofText })),
      shareOf(word, { title, heading: ofHeading, text: ofText }),
    ];
    const best = Math.max(...found);
    if (best === 0) missing++;
    rank += best;
  }
  return { rank, missing };
}

const shareOf = (
  word: string,
  { title, heading, text }: { title: string; heading: string; text: string },
): number =>
  (heading.includes(word) ? 8 : 0) + (title.includes(word) ? 4 : 0) + (text.includes(word) ? 1 : 0);

/** The part of a text that has the first of some words. */
function excerptOf({ text, lower }: Section, words: string[]): string {
  const places = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
  const near = Math.max(0, Math.min(...places, lower.length) - 40);
  const at = places.length === 0 || near === 0 ? 0 : text.indexOf(" ", near) + 1;
  const cut = text.slice(at, at + excerptLength);
  return (at > 0 ? "…" : "") + cut + (text.length > at + excerptLength ? "…" : "");
}
