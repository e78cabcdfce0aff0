import { variables } from "./config.ts";

/** So short names are near too many others, such as HOME and HOST. */
const shortestName = 6;
/** Letters that were changed, left out, added, or that changed places with the next. */
const mostEdits = 2;
/** Of two letters that changed places: a likelier slip than another letter. */
const swapCost = 0.9;

/** One line for each name that differs from one of our variables by a slip of the keyboard. */
export function misspeltNotes(names: readonly string[]): string[] {
  const known = Object.keys(variables);
  return names.filter((name) => !Object.hasOwn(variables, name)).flatMap((name) => {
    const [meant] = known.filter((one) => one.length >= shortestName && isNear(name, one))
      .toSorted((one, other) => editsBetween(name, one) - editsBetween(name, other));
    return meant === undefined || names.includes(meant)
      ? []
      : [`Ignored ${name}: there is no such variable. Did you mean ${meant}?`];
  });
}

/** Near by its letters, or the beginning of the other up to an underscore. */
const isNear = (name: string, other: string): boolean =>
  Math.abs(name.length - other.length) <= mostEdits && editsBetween(name, other) <= mostEdits ||
  name.length >= shortestName && other.startsWith(`${name}_`);

/** The distance of two texts by Damerau and Levenshtein, for letters side by side. */
function editsBetween(text: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [line, letter] of [...text].entries()) {
    const next = [line + 1];
    for (const [at, meant] of [...other].entries()) {
      // The rows are one longer than `other`, `next` has `at + 1` entries.
      const changed = row[at]! + (letter === meant ? 0 : 1);
      const isSwapped = at > 0 && line > 0 && letter === other[at - 1] && meant === text[line - 1];
      // There is a row before the last one, and a letter before this one.
      const swapped = isSwapped ? before[at - 1]! + swapCost : Infinity;
      next.push(Math.min(changed, row[at + 1]! + 1, next[at]! + 1, swapped));
    }
    [before, row] = [row, next];
  }
  return row.at(-1)!; // A row has one entry at least.
}
