/** Progress of a migration of the store. */
interface Progress {
  task: string;
  resource: string;
  done: number;
}

/** Prints how far the migration of a store is. */
export interface MigrationLines {
  /** Prints a line for each task and resource, and one every while. */
  progress(progress: Progress): void;
  /** Prints the end of the work, if there was any since the last one. */
  over(what: string): void;
}

/** The time between two lines, in ms. */
const everyMs = 2_000;

export function migrationLines(say: (line: string) => void, now: () => number): MigrationLines {
  let last: { name: string; at: number } | undefined;
  let first = now();
  return {
    progress({ task, resource, done }) {
      const name = `${task} ${resource}`;
      if (last === undefined) first = now();
      if (name === last?.name && now() - last.at < everyMs) return;
      last = { name, at: now() };
      const what = task === "layout"
        ? "Migrating the store"
        : task === "counters"
        ? "Counting full stretches of time"
        : "Building an index";
      say(`${what}: ${resource}, ${done} records so far`);
    },
    over(what) {
      if (last === undefined) return;
      last = undefined;
      say(`${what} in ${((now() - first) / 1_000).toFixed(1)} s`);
    },
  };
}
