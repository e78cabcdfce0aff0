import type { Batch } from "../store/batch.ts";
import type { CommitRecord } from "../store/commit.ts";
import { changeId, changesIn, type StoredChange, versionOf } from "./stored_change.ts";

/** The latest changes of a store that only this process writes to, from its own commits. */
export interface RecentChanges extends CommitRecord {
  /** The version of the last commit; null before the first one. */
  last(): string | null;
  /** Those of an account after an id; null where some of them may be forgotten. */
  since(account: bigint, id: string): StoredChange[] | null;
  /** Gives each change of an account to `take`, and `null` where it is unknown whether some were made. */
  listen(account: bigint, take: (change: StoredChange | null) => void): () => void;
}

type Listener = (change: StoredChange | null) => void;

/** Changes that an event stream can begin with, by their bytes in the store. */
export const recentChangeBytes = 4 << 20;

/** What an entry takes beside its value, about. */
const entryBytes = 200;

/** Remembers changes that take up to `bytes`: the values are those that the cache of records has. */
export function recentChanges(bytes: number): RecentChanges {
  const kept: StoredChange[] = [];
  let first = 0; // Of those that are kept: shifting an array costs its length.
  let size = 0;
  let last: string | null = null;
  /** The version of this process's first commit; it knows none before. */
  let begun: string | null = null;
  /** The version up to which changes are forgotten since. */
  let forgotten = "";
  const listeners = new Map<bigint, Set<Listener>>();

  function keep(change: StoredChange): void {
    kept.push(change);
    size += change.bytes + entryBytes;
    while (size > bytes) {
      const oldest = kept[first++];
      if (oldest === undefined) break;
      size -= oldest.bytes + entryBytes;
      forgotten = versionOf(oldest.id);
    }
    if (first > 1_000 && first > kept.length / 2) kept.splice(0, first), first = 0;
  }

  return {
    last: () => last,
    since(account, id) {
      const version = versionOf(id);
      if (begun === null || version < begun || version <= forgotten) return null;
      return kept.slice(first).filter((one) => one.account === account && one.id > id);
    },
    listen(account, take) {
      const others = listeners.get(account) ?? new Set();
      listeners.set(account, others.add(take));
      return () => {
        others.delete(take);
        if (others.size === 0 && listeners.get(account) === others) listeners.delete(account);
      };
    },
    made(writes, versionstamp) {
      last = versionstamp;
      begun ??= versionstamp;
      for (const staged of changesIn(writes)) {
        const change = { ...staged, id: changeId(versionstamp, staged.sid) };
        keep(change);
        listeners.get(change.account)?.forEach((take) => take(change));
      }
    },
    doubt(writes: Batch) {
      if (last !== null) forgotten = last;
      const doubtful = new Set(changesIn(writes).map(({ account }) => account));
      for (const account of doubtful) listeners.get(account)?.forEach((take) => take(null));
    },
  };
}
