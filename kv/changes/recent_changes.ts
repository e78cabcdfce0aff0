import type { Batch } from "../store/batch.ts";
import type { CommitRecord } from "../store/commit_record.ts";
import {
  changeId,
  changesIn,
  followedIn,
  sizeOf,
  type StoredChange,
  versionOf,
  type Written,
} from "./stored_change.ts";

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

/** The memory of the changes that an event stream can begin with. */
export const recentChangeBytes = 6 << 20;

/** Estimated bytes of an entry in memory beyond its value: its key, and the objects around both. */
const entryBytes = 600;

/** The writes of a commit to records. Its changes are derived from them when a follower asks. */
interface Kept {
  versionstamp: string;
  written: Written;
  bytes: number;
}

const changesOf = ({ versionstamp, written }: Pick<Kept, "versionstamp" | "written">) =>
  changesIn(written).map((one) => ({ ...one, id: changeId(versionstamp, one.sid) }));

/**
 * Caches changes that take up to `bytes` of memory, in two generations. When the young one would
 * take more than half of it, the commits in the old one are dropped, and the young one becomes the
 * old one.
 */
export function recentChanges(bytes: number): RecentChanges {
  let young: Kept[] = [];
  let old: Kept[] = [];
  let youngBytes = 0;
  let last: string | null = null;
  /** The version of this process's first commit; earlier changes are not in memory. */
  let begun: string | null = null;
  /** The version up to which changes are forgotten since. */
  let forgotten = "";
  const listeners = new Map<bigint, Set<Listener>>();

  function keep(commit: Kept): void {
    if (youngBytes + commit.bytes > bytes / 2) {
      forgotten = old.at(-1)?.versionstamp ?? forgotten;
      [young, old, youngBytes] = [[], young, 0];
    }
    young.push(commit);
    youngBytes += commit.bytes;
  }

  return {
    last: () => last,
    since(account, id) {
      const version = versionOf(id);
      if (begun === null || version < begun || version <= forgotten) return null;
      return [...old, ...young].filter(({ versionstamp }) => versionstamp >= version)
        .flatMap(changesOf).filter((one) => one.account === account && one.id > id);
    },
    listen(account, take) {
      const others = listeners.get(account) ?? new Set();
      listeners.set(account, others.add(take));
      return () => {
        others.delete(take);
        if (others.size === 0 && listeners.get(account) === others) listeners.delete(account);
      };
    },
    made(writes: Batch, versionstamp) {
      last = versionstamp;
      begun ??= versionstamp;
      const written = followedIn(writes);
      if (written === null) return;
      const count = written.sets.length + written.deletes.length;
      const ofValues = written.sets.reduce((sum, { value }) => sum + sizeOf(value).bytes, 0);
      keep({ versionstamp, written, bytes: ofValues + count * entryBytes });
      if (listeners.size === 0) return;
      for (const change of changesOf({ versionstamp, written })) {
        listeners.get(change.account)?.forEach((take) => take(change));
      }
    },
    doubt(writes: Batch) {
      if (last !== null) [young, old, youngBytes, forgotten] = [[], [], 0, last];
      const doubtful = new Set(changesIn(writes).map(({ account }) => account));
      for (const account of doubtful) listeners.get(account)?.forEach((take) => take(null));
    },
  };
}
