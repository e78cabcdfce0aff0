/** A row of a list: what each column shows. */
export type Row = Record<string, unknown>;

/** Text for a terminal: control characters of devices and customers would steer it. */
const shown = (value: unknown): string =>
  value === null || value === undefined || value === ""
    ? "-"
    : String(value).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "?");

/**
 * An aligned table with a heading, one line for each row; numbers stand to the right. The columns are
 * those of the first row.
 */
export function table(rows: readonly Row[]): string {
  const names = Object.keys(rows[0] ?? {});
  const columns = names.map((name) => {
    const cells = [name.toUpperCase(), ...rows.map((row) => shown(row[name]))];
    const width = Math.max(...cells.map(lengthOf));
    const isNumber = rows.every((row) => typeof row[name] === "number");
    return cells.map((cell) => {
      const padding = " ".repeat(width - lengthOf(cell));
      return isNumber ? padding + cell : cell + padding;
    });
  });
  const lines = ["", ...rows].map((_, at) => columns.map((column) => column[at]).join("  "));
  return lines.map((line) => line.trimEnd()).join("\n");
}

const lengthOf = (text: string): number => [...text].length;
