import { createTurns } from "../../../core/base/turns.ts";
import type { Api, Row } from "./api.ts";
import type { Page } from "./env.ts";

/** Records that one export has at most, and how many are read at once. */
const [mostRows, rowsAtOnce] = [100_000, 1_000];

/** Characters that are sent at once at least. */
const pieceLength = 16 << 10;

/**
 * Streams a list as CSV (RFC 4180) or as JSON, page by page at the pace of the reader. An export has at
 * most 100,000 records; a longer list is narrowed by dates.
 */
export function exportList(
  c: Page,
  { path, query, name, format }: {
    path: string;
    query: URLSearchParams;
    name: string;
    format: "csv" | "json";
  },
): Response {
  const rows = rowsOf(c.var.api, path, query);
  const texts = format === "csv" ? csvTexts(rows) : jsonTexts(rows);
  const type = format === "csv" ? "text/csv; charset=utf-8" : "application/json; charset=utf-8";
  c.header("Content-Type", type);
  c.header("Content-Disposition", `attachment; filename="${name}.${format}"`);
  return c.body(ReadableStream.from(texts).pipeThrough(new TextEncoderStream()));
}

async function* rowsOf(api: Api, path: string, query: URLSearchParams): AsyncGenerator<Row[]> {
  let next: URLSearchParams | null = new URLSearchParams(query);
  next.set("PageSize", String(rowsAtOnce));
  for (let count = 0; next !== null && count < mostRows; count += rowsAtOnce) {
    const page = await api.list(path, next);
    yield page.items;
    next = page.next;
  }
}

async function* csvTexts(pages: AsyncIterable<Row[]>): AsyncGenerator<string> {
  let columns: string[] = [];
  const turn = createTurns();
  for await (const rows of pages) {
    const [first] = rows;
    if (columns.length === 0 && first !== undefined) {
      columns = Object.keys(first).filter((name) => name !== "subresource_uris");
      yield `${columns.join(",")}\r\n`;
    }
    let text = "";
    for (const row of rows) {
      text += columns.map((name) => cell(row[name])).join(",") + "\r\n";
      if (text.length < pieceLength) continue;
      yield text;
      text = "";
      await turn();
    }
    yield text;
  }
}

/** A cell; a text that spreadsheets would take for a formula begins with an apostrophe. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  const safe = /^[=+\-@\t\r]/.test(text) && !/^[+-]?\d[\d.]*$/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

async function* jsonTexts(pages: AsyncIterable<Row[]>): AsyncGenerator<string> {
  let before = "[";
  const turn = createTurns();
  for await (const rows of pages) {
    for (const row of rows) {
      yield `${before}\n${JSON.stringify(row)}`;
      before = ",";
      await turn();
    }
  }
  yield before === "[" ? "[]\n" : "\n]\n";
}
