import type { Row } from "../frame/api.ts";
import { None, Sid, Status, Time } from "../frame/parts.tsx";
import type { Column } from "../frame/table.tsx";

/** Address of a list: the path of the account's pages, and that of the list. */
export interface ListPlace {
  below: string;
  to: string;
}

/** A column, or a maker of one that has links. */
export type ColumnMaker = Column | ((at: ListPlace) => Column);

/** The columns of the list of a resource, by the path of the account's pages. */
export const columnsBy =
  (path: string, makers: readonly ColumnMaker[]) => (below: string): Column[] =>
    makers.map((one) => typeof one === "function" ? one({ below, to: `${below}/${path}` }) : one);

const isEmpty = (value: unknown): boolean => value === null || value === undefined || value === "";

/** A value as a text; a dash where there is none. */
export const shown = (value: unknown) =>
  isEmpty(value) ? <None /> : <span class="cut">{String(value)}</span>;

/** A column that shows a field as it is. */
export const text = (title: string, field: string, of: Partial<Column> = {}): Column => ({
  title,
  cell: (row) => shown(row[field]),
  ...of,
});

/** The same of a URL, which is longer than others: without the scheme that nearly all have. */
export const url = (title: string, field: string): Column => ({
  title,
  isWide: true,
  cell: ({ [field]: value }) =>
    shown(typeof value === "string" ? value.replace(/^https:\/\//, "") : value),
});

/** A column that leads to the record whose Sid a field has. */
export const leading =
  (title: string, field: string, label: string) => ({ below }: ListPlace): Column => ({
    title,
    cell: ({ [field]: sid }) => <Sid sid={sid} below={below} {...sid ? { label } : {}} />,
  });

/** A column of an instant. */
export const time = (title: string, field: string): Column => ({
  title,
  cell: (row) => <Time at={row[field]} />,
});

/** A column of a status. */
export const status = (field = "status"): Column => ({
  title: "Status",
  cell: (row) => <Status value={row[field]} />,
});

/** The column that leads to the page of a record. */
export const link =
  (title: string, label: (row: Row) => string, of: Partial<Column> = {}) =>
  ({ to }: ListPlace): Column => ({
    title,
    cell: (row) => <a href={`${to}/${row.sid}`} class="cut">{label(row)}</a>,
    ...of,
  });

/** The same by the instant of a record. */
export const timeLink = (title: string, field: string) => ({ to }: ListPlace): Column => ({
  title,
  cell: (row) => (
    <a href={`${to}/${row.sid}`}>
      <Time at={row[field]} />
    </a>
  ),
});

/** Name of a record: a field of it, or another where that is empty. */
export const named = (field: string, other = "sid") => (row: Row): string =>
  String(isEmpty(row[field]) ? row[other] : row[field]);
