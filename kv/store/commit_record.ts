import type { Batch } from "./batch.ts";
import type { Moved } from "./counters.ts";
import type { AtomicOperation } from "./key_value_store.ts";

/** What a commit writes, with the counters that it moves. */
export interface Writes extends Batch {
  moved: Moved[];
}

/** A cache that follows the commits that were made, in their order. */
export interface CommitRecord {
  /**
   * Whether a check holds while no commit is under way; undefined where that is not known. The store
   * need not be asked for one that is known: no other process writes to it.
   */
  holds?(check: Batch["checks"][number]): boolean | undefined;
  /** Adds writes of its own to the commit of a batch. */
  stage?(op: AtomicOperation, batch: Batch): void;
  made(writes: Writes, versionstamp: string): void;
  /** It is unknown whether this commit was made. */
  doubt(writes: Writes): void;
}

/** Whether a check holds while no commit is under way; undefined where no follower knows. */
export function holds(
  followers: CommitRecord[] = [],
  check: Batch["checks"][number],
): boolean | undefined {
  for (const one of followers) {
    const known = one.holds?.(check);
    if (known !== undefined) return known;
  }
  return undefined;
}
