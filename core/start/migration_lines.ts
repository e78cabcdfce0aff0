/** How far a migration of the store is. */
interface Progress {
  task: string;
  resource: string;
  done: number;
}

/** The time between two lines, in ms. */
const everyMs = 2_000;

/** Prints how far a migration is: a line for each task and resource, and one every while. */
export function migrationLines(
  say: (line: string) => void,
  now: () => number,
): (progress: Progress) => void {
  let last = { name: "", at: -Infinity };
  return ({ task, resource, done }) => {
    const name = `${task} ${resource}`;
    if (name === last.name && now() - last.at < everyMs) return;
    last = { name, at: now() };
    const what = task === "layout" ? "Migrating the store" : "Building an index";
    say(`${what}: ${resource}, ${done} records so far`);
  };
}
