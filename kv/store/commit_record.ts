import type { Batch } from "./batch.ts";
import type { Moved } from "./counters.ts";
import type { AtomicOperation } from "./key_value_store.ts";

/** Writes of a commit, with the counters that it moves. */
export interface Writes extends Batch {
  moved: Moved[];
}

/** A cache that follows the commits that were made, in their order. */
export interface CommitRecord {
  /**
   * Returns whether a check holds while no commit is under way; undefined if this process cannot
   * tell. The store makes only the checks that are undefined: no other process writes to it.
   */
  holds?(check: Batch["checks"][number]): boolean | undefined;
  /** Adds writes of its own to the commit of a batch. */
  stage?(op: AtomicOperation, batch: Batch): void;
  made(writes: Writes, versionstamp: string): void;
  /** It is unknown whether this commit was made. */
  doubt(writes: Writes): void;
}

/**
 * Returns whether a check holds while no commit is under way; undefined if no follower can tell.
 */
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
