import assert from "node:assert/strict";
import { compileMarkdown, renderMarkdown } from "../../routes/docs/markdown.ts";
import type { Page } from "../../routes/docs/page.ts";
import { searchResults } from "../../routes/docs/search.ts";
import { measurePieces } from "../support/process/loop_pieces.ts";

const page = (first: string) =>
  `# ${first}\n\nSome **text** with \`code\`, [a link](https://a.test) and <b>marks</b>.\n\n` +
  "| a | b |\n| - | - |\n| c | d |\n\n1. one\n2. two\n\n- three\n\n> four\n\n```ts\nfive\n```\n\n    six\n";

Deno.test("the first page of the documentation has no expression left to compile", async () => {
  const before = await measurePieces(() => Promise.resolve(compileMarkdown()));
  for (const first of ["Latin é", "Not Latin →"]) {
    const { longestMs } = await measurePieces(() =>
      Promise.resolve(renderMarkdown(page(first), () => null))
    );
    assert.ok(longestMs < before.longestMs / 3, `${first}: ${longestMs} of ${before.longestMs} ms`);
  }
});

Deno.test("a search of long documentation lets others have their turn", async () => {
  const text = "a text about callbacks and servers ".repeat(20);
  const pages = Array.from({ length: 400 }, (_, n): [string, Page] => {
    const sections = Array.from({ length: 50 }, (_, k) => ({
      id: `s${k}`,
      heading: `Part ${k}`,
      text,
      lower: text,
    }));
    const path = `how-to/page-${n}`;
    return [path, { path, group: "how-to", title: `Page ${n}`, lead: "", html: "", sections }];
  });
  const documentation = { pages: new Map(pages), groups: [] };
  let isOver = false;
  const searching = searchResults(documentation, "sms status callback otp call queue", "/docs")
    .finally(() => isOver = true);
  let turns = 0;
  while (!isOver) {
    await new Promise((resolve) => setTimeout(resolve, 0));
    turns++;
  }
  assert.match(await searching, /found for/);
  assert.ok(turns > 3, `${turns} turns`);
});
