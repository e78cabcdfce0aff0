/**
 * Entries in memory as the last commit left them, on an embedded file, whose one writer is this process: a
 * whole call takes 3 reads of the store in place of 48. Every write to such keys goes through the
 * committer, and a check that holds here is not made again by the store (16 of the 18 checks of a call;
 * each costs 3 µs of the main thread and a statement of SQLite). A read that is under way during a commit
 * of its key is not kept. A commit of which it is unknown whether it was made forgets what it wrote.
 *
 * The bound is 5 MiB. Resources say which of their records are seldom read once they are written
 * (`isSeldomRead`: Deliveries that are not queued any more); with these, 8 MiB held less and the service
 * took 40 MB more. Not taken: the same for Notifications and requests for markup, since a refused POST
 * inserts the Notification of its minute again, and each repeat would ask the store. The last 500 records
 * stay as they were written, next to their bytes; more of them would keep long responses alive.
 *
 * Memory follows a commit a moment after readers of the store see it, so lists and groups wait for it
 * (`list_states.ts`).
 */
import { limits } from "../../core/base/limits.ts";
import { type Batch, type Decoded, keyText, type Named, nameOf } from "../store/batch.ts";
import type { CommitRecord } from "../store/commit_record.ts";
import type { Read } from "../store/reader.ts";
import { lruCache } from "./lru_cache.ts";
import { storedBytes } from "./record_cache.ts";
import type { KvKey } from "../store/key_value_store.ts";

/** Reads of single entries of a store that only this process writes to. */
export interface RecentEntries extends CommitRecord {
  /** From memory where the entry was written or read lately. */
  read: Read;
  made(writes: Writes, versionstamp: string): void;
  doubt(writes: Writes): void;
  holds(check: Batch["checks"][number]): boolean | undefined;
}

type Writes = Pick<Batch, "sets" | "deletes">;

/** The cached part of an entry, without its key, which readers have. */
interface Kept extends Named, Decoded {
  value: unknown;
  versionstamp: string | null;
}

/** Accounts, their limits, records and unique values are read again and again while a call goes on. */
const isRemembered = (key: KvKey): boolean =>
  key[0] === "a" || key[0] === "l" || key[0] === "u" ||
  key.length === 3 && typeof key[0] === "bigint" && key[2] instanceof Uint8Array;

/** The memory of records and unique values that stay in it. */
export const recentEntryBytes = 5 << 20;

/** Estimated bytes of a record in memory, beyond its bytes in the store. */
const recordBytes = 400;

/** The most bytes that an entry takes in memory. The entry of a unique value names two Sids. */
const bytesOf = (key: KvKey, value: unknown): number =>
  key[0] === "u" ? limits.lookupLength + 100 : storedBytes(value) + recordBytes;

/**
 * The last written records that are cached as objects. Their texts may be slices of long ones, such
 * as the response of a server, which V8 then retains as a whole. A record that is read is a copy.
 */
export const mostDecoded = 500;

/** Most keys without an entry that are cached. Most of them are of callers that are no Clients. */
const mostAbsent = 2_000;

/**
 * Remembers entries that take up to `bytes` of memory, and 2,000 keys that have none. A commit
 * replaces what it wrote, or forgets it where it is seldom read. The result of a read that was under
 * way meanwhile is not remembered. Every write to such an entry has to go through the committer.
 */
export function recentEntries(read: Read, bytes: number): RecentEntries {
  const entries = lruCache<Kept>(bytes);
  const absent = lruCache<Kept>(mostAbsent);
  const reading = new Map<string, Promise<Kept>>();
  const keepRecord = lastRecords();

  function forget(key: KvKey): void {
    const name = keyText(key);
    entries.forget(name);
    absent.forget(name);
    reading.delete(name);
  }

  function readNamed(name: string, key: KvKey): Promise<Kept> {
    const found = read<unknown>(key);
    reading.set(name, found);
    const end = (entry?: Kept) => {
      if (reading.get(name) !== found) return;
      reading.delete(name);
      if (entry?.versionstamp) entries.keep(name, keptOf(name, entry), bytesOf(key, entry.value));
      else if (entry !== undefined) absent.keep(name, keptOf(name, entry), 1);
    };
    found.then(end, () => end());
    return found;
  }

  return {
    read(key) {
      if (!isRemembered(key)) return read(key);
      const name = keyText(key);
      const known = entries.get(name) ?? absent.get(name);
      const entry = known
        ? Promise.resolve({ key, ...known })
        : reading.get(name) ?? readNamed(name, key);
      return entry as ReturnType<typeof read<never>>;
    },
    made({ sets, deletes }, versionstamp) {
      for (const set of sets) {
        if (!isRemembered(set.key)) continue;
        const { key, value, record, isSeldomRead, name = keyText(key) } = set;
        reading.delete(name);
        absent.forget(name);
        const kept = { value, versionstamp, name, record };
        if (isSeldomRead) entries.forget(name);
        else entries.keep(name, kept, bytesOf(key, value));
        if (!isSeldomRead && record !== undefined) keepRecord(kept);
      }
      for (const key of deletes) if (isRemembered(key)) forget(key);
    },
    doubt({ sets, deletes }) {
      for (const key of [...sets.map(({ key }) => key), ...deletes]) forget(key);
    },
    holds(check) {
      if (!isRemembered(check.key)) return undefined;
      const name = nameOf(check);
      const known = entries.peek(name) ?? absent.peek(name);
      return known && known.versionstamp === check.versionstamp;
    },
  };
}

const keptOf = (name: string, { value, versionstamp }: Kept): Kept => ({
  value,
  versionstamp,
  name,
  record: undefined,
});

/** Returns a function that takes the record from an entry once many others came after it. */
function lastRecords(): (entry: Kept) => void {
  const kept: Kept[] = [];
  let next = 0;
  return (entry) => {
    const oldest = kept[next];
    if (oldest !== undefined) oldest.record = undefined;
    kept[next] = entry;
    next = (next + 1) % mostDecoded;
  };
}
