import { editsBetween } from "../../base/near_names.ts";
import { variables } from "./config.ts";

/** So short names are near too many others, such as HOME and HOST. */
const shortestName = 6;
/** Letters that were changed, left out, added, or that changed places with the next. */
const mostEdits = 2;

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
