import { variables } from "./config.ts";

/** So short names are near too many others, such as HOME and HOST. */
const shortestName = 6;
/** Letters that were changed, left out or added; two that changed places count as two. */
const mostEdits = 2;

/** One line for each name that differs from one of our variables by a slip of the keyboard. */
export function misspeltNotes(names: readonly string[]): string[] {
  const known = Object.keys(variables);
  return names.filter((name) => !Object.hasOwn(variables, name)).flatMap((name) => {
    const meant = known.find((one) => one.length >= shortestName && isNear(name, one));
    return meant === undefined || names.includes(meant)
      ? []
      : [`Ignored ${name}: there is no such variable. Did you mean ${meant}?`];
  });
}

const isNear = (name: string, other: string): boolean =>
  Math.abs(name.length - other.length) <= mostEdits && editsBetween(name, other) <= mostEdits;

/** The Levenshtein distance of two texts. */
function editsBetween(text: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [line, letter] of [...text].entries()) {
    const next = [line + 1];
    for (const [at, meant] of [...other].entries()) {
      // `row` is one longer than `other`, `next` has `at + 1` entries.
      const changed = row[at]! + (letter === meant ? 0 : 1);
      next.push(Math.min(changed, row[at + 1]! + 1, next[at]! + 1));
    }
    row = next;
  }
  return row.at(-1)!; // A row has one entry at least.
}
