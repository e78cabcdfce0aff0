import { Marked, type Token, type Tokens } from "marked";

/** A page of `docs/`, ready to be shown. */
export interface Rendered {
  title: string;
  /** The first paragraph, as text. */
  lead: string;
  html: string;
  /** The whole text, by heading; the search reads it. */
  sections: Section[];
}

/** The text below one heading. */
export interface Section {
  /** The id of the heading. */
  id: string;
  heading: string;
  text: string;
  /** The text in lower case, which each search reads. */
  lower: string;
}

/** The address of a heading, as repositories show it: `Set up TLS` is `set-up-tls`. */
export const anchorOf = (heading: string): string =>
  heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, "").trim().replaceAll(/\s/g, "-");

/** A text that has every kind of block and most inline marks. */
const everyBlock =
  "# A\n\nb **c** _d_ `e` [f](g) <i>h</i> ~~i~~ https://j.test\n\n- k\n  - l\n\n1. m\n\n" +
  "> n\n\n| o | p |\n| - | - |\n| q | r |\n\n```sh\ns\n```\n\n![t](u)\n\n---\n\n    v\n\n[w]: x\n";

/**
 * Has the engine compile the expressions of the library, which takes some 40 ms in one piece: before
 * requests are served, not with the first one. V8 compiles an expression once for texts of Latin-1, and
 * once for those that have other characters.
 */
export function compileMarkdown(): void {
  for (const text of [everyBlock, everyBlock.replace("b", "→")]) renderMarkdown(text, () => null);
}

/**
 * Renders a Markdown page. `linkTo` maps the target of a link to an address. It returns null for a
 * target outside of the documentation: then only the text of the link is rendered.
 */
export function renderMarkdown(
  markdown: string,
  linkTo: (href: string) => string | null,
): Rendered {
  const marked = new Marked({ gfm: true });
  const used = new Map<string, number>();
  const uniqueId = (heading: string): string => {
    const id = anchorOf(heading);
    const count = used.get(id) ?? 0;
    used.set(id, count + 1);
    return count === 0 ? id : `${id}-${count}`;
  };
  const ids = new Map<Token, string>();
  marked.use({
    renderer: {
      heading(token) {
        const content = this.parser.parseInline(token.tokens);
        const { depth } = token;
        return `<h${depth} id="${ids.get(token)}">${content}</h${depth}>\n`;
      },
      link({ href, title, tokens }) {
        const text = this.parser.parseInline(tokens);
        const address = linkTo(href);
        if (address === null) return text;
        return `<a href="${escape(address)}"${
          title ? ` title="${escape(title)}"` : ""
        }>${text}</a>`;
      },
      image({ href, text }) {
        const address = linkTo(href);
        return address === null
          ? escape(text)
          : `<img src="${escape(address)}" alt="${escape(text)}">`;
      },
      code: ({ text }) => codeBlock(text),
      table(token) {
        const cells = (row: Tokens.TableCell[], tag: string) =>
          row.map(({ tokens }) => {
            const kind = tokens.length === 0 ? "td" : tag; // An empty cell is no heading.
            return `<${kind}>${this.parser.parseInline(tokens)}</${kind}>`;
          }).join("");
        const head = `<thead><tr>${cells(token.header, "th")}</tr></thead>`;
        const rows = token.rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("\n");
        return scrolling(`<table>${head}<tbody>${rows}</tbody></table>`);
      },
    },
  });
  const tokens = marked.lexer(markdown);
  for (const token of tokens) {
    if (token.type === "heading") ids.set(token, uniqueId(plain((token as Tokens.Heading).tokens)));
  }
  const title = tokens.find((token) => token.type === "heading") as Tokens.Heading | undefined;
  const lead = tokens.find((token) => token.type === "paragraph") as Tokens.Paragraph | undefined;
  return {
    title: title === undefined ? "Untitled" : plain(title.tokens),
    lead: lead === undefined ? "" : plain(lead.tokens),
    html: marked.parser(tokens),
    sections: sectionsOf(tokens, ids),
  };
}

function sectionsOf(tokens: Token[], ids: Map<Token, string>): Section[] {
  const sections: Section[] = [];
  for (const token of tokens) {
    if (token.type === "heading") {
      const heading = plain((token as Tokens.Heading).tokens);
      sections.push({ id: ids.get(token) ?? "", heading, text: "", lower: "" });
    } else {
      const last = sections.at(-1);
      const text = last === undefined ? "" : textOf(token).replaceAll(/\s+/g, " ").trim();
      if (last !== undefined && text !== "") last.text += last.text === "" ? text : ` ${text}`;
    }
  }
  for (const section of sections) section.lower = section.text.toLowerCase();
  return sections;
}

/** The text of a block as a reader sees it: without marks, targets of links and comments. */
function textOf(token: Token): string {
  if (token.type === "html" || token.type === "def") return "";
  if (token.type === "table") {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows].flat().map(({ tokens }) => plain(tokens)).filter(Boolean).join(" · ");
  }
  if (token.type === "list") {
    return (token as Tokens.List).items.map((item) => item.tokens.map(textOf).join(" ")).join(" ");
  }
  if (token.type === "blockquote") return (token.tokens ?? []).map(textOf).join(" ");
  if ("tokens" in token && token.tokens) return plain(token.tokens);
  return "text" in token ? unescape(token.text) : "";
}

/** The text of inline tokens, without their marks. */
const plain = (tokens: Token[]): string =>
  tokens.map((token) =>
    "tokens" in token && token.tokens
      ? plain(token.tokens)
      : "text" in token && token.type !== "html"
      ? unescape(token.text)
      : ""
  ).join("");

const unescape = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'").replaceAll("&amp;", "&");

/** A text in HTML, also in an attribute. */
export const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

/** Code that scrolls by itself, with the keyboard too. */
export const codeBlock = (code: string): string =>
  `<pre tabindex="0"><code>${escape(code)}</code></pre>\n`;

/** A table that scrolls by itself, with the keyboard too. */
export const scrolling = (table: string): string =>
  `<div class="wide" tabindex="0">${table}</div>\n`;
