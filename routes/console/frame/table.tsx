import type { Child } from "hono/jsx";
import type { Row } from "./api.ts";

/** A column of a table: its title, and its cell of a row. */
export interface Column {
  title: string;
  cell(row: Row): Child;
  /** Numbers stand at the right. */
  isNumber?: boolean;
  /** Long texts have more room than others. */
  isWide?: boolean;
}

/** A table; on a narrow screen each row is a card, and its cells have their titles beside them. */
export const Table = ({ caption, columns, rows }: {
  caption: string;
  columns: readonly Column[];
  rows: readonly Row[];
}) => (
  <table class="table" role="table">
    <caption class="hidden">{caption}</caption>
    <thead role="rowgroup">
      <tr role="row">
        {columns.map(({ title, isNumber }) => (
          <th scope="col" role="columnheader" class={isNumber ? "number" : undefined}>{title}</th>
        ))}
      </tr>
    </thead>
    <tbody role="rowgroup">
      {rows.map((row) => (
        <tr role="row">
          {columns.map(({ title, cell, isNumber, isWide }) => (
            <td
              role="cell"
              data-title={title}
              class={isNumber ? "number" : isWide ? "wide" : undefined}
            >
              {cell(row)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

/** The pages around a list. */
export function Pager({ to, rows, words = ["Newer", "Older"] }: {
  /** The address of the list. */
  to: string;
  /** Labels of the previous and the next page. */
  words?: readonly [string, string];
  rows: { next: URLSearchParams | null; previous: URLSearchParams | null; total: number | null };
}) {
  if (rows.next === null && rows.previous === null) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {rows.previous ? <a href={`${to}?${rows.previous}`} rel="prev">← {words[0]}</a> : <span />}
      {rows.next && <a href={`${to}?${rows.next}`} rel="next">{words[1]} →</a>}
    </nav>
  );
}
