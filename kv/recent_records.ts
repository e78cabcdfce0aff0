import type { AnyRecord } from "../core/resource.ts";
import type { Stored } from "./record_codec.ts";

/** Records that were read a while ago, each in the state that it had in the store. */
export interface RecentRecords {
  /**
   * What was read of an entry before, or what `read` gives. It is kept, frozen, when it is `likely`
   * to be asked for again, or when it was asked for before.
   */
  reading(entry: Stored, read: () => AnyRecord, likely: boolean): AnyRecord;
}

interface Known {
  account: Deno.KvKeyPart;
  versionstamp: string;
  record: AnyRecord;
}

/** Records of which it is known that they were asked for once: whoever reads all leaves no others. */
const mostSeen = 32_000;

/** What a record that is not kept in bytes counts for: the most that the store takes. */
const largeBytes = 64 << 10;

/**
 * Remembers decoded records that take up to `bytes` in the store; when they take more, those that
 * were asked for longest ago go. An entry is known again by its versionstamp, which every write
 * changes, whoever makes it: so a write need not be noticed here.
 */
export function recentRecords(bytes: number): RecentRecords {
  let [young, old] = [new Map<string, Known>(), new Map<string, Known>()];
  let youngBytes = 0;
  let [seen, seenBefore] = [new Set<string>(), new Set<string>()];

  /** Whether this is not the first time, as far as that is known. */
  function isAgain(id: string): boolean {
    if (seen.has(id) || seenBefore.has(id)) return true;
    seen.add(id);
    if (seen.size > mostSeen / 2) [seen, seenBefore] = [new Set(), seen];
    return false;
  }

  function keep(id: string, known: Known, size: number): void {
    young.set(id, known);
    youngBytes += size;
    if (youngBytes > bytes / 2) [young, old, youngBytes] = [new Map(), young, 0];
  }

  return {
    reading({ key, value, versionstamp }, read, likely) {
      const [account, prefix, ord] = key as [bigint, string, Uint8Array];
      const id = prefix + ord.toHex();
      const isSame = (known: Known | undefined): known is Known =>
        known?.versionstamp === versionstamp && known.account === account;
      const known = young.get(id);
      if (isSame(known)) return known.record;
      const older = old.get(id);
      const isKept = isSame(older) || likely || isAgain(id);
      if (!isKept) return read();
      const record = isSame(older) ? older.record : frozen(read());
      const size = value instanceof Uint8Array ? value.length : largeBytes;
      keep(id, { account, versionstamp, record }, size);
      return record;
    },
  };
}

/** Freezes an object and what it holds. */
function frozen<T extends object>(object: T): T {
  for (const value of Object.values(object)) {
    if (typeof value === "object" && value !== null) frozen(value);
  }
  return Object.freeze(object);
}
