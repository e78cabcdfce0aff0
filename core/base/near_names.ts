/** Cost of two letters that changed places: a likelier slip than another letter. */
const swapCost = 0.9;
/** Letters of a name for each edit that is taken for a slip, and the most edits. */
const lettersPerEdit = 3;
const mostEdits = 2;

/** The existing name that a name probably means; the case of letters does not count. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const edits = Math.min(mostEdits, Math.floor(name.length / lettersPerEdit));
  const near = [...known].flatMap((one) => {
    if (Math.abs(one.length - name.length) > edits) return []; // The distance is no less.
    const distance = editsBetween(name.toLowerCase(), one.toLowerCase());
    return distance > edits ? [] : [{ one, distance }];
  });
  return near.toSorted((a, b) => a.distance - b.distance)[0]?.one;
}

/** The distance of two texts by Damerau and Levenshtein, for letters side by side. */
export function editsBetween(text: string, other: string): number {
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
