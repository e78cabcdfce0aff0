import { keys } from "../store/keys.ts";
import type { ChangeLog, LoggedChange } from "./change_log.ts";
import { changeId, type StoredChange } from "./stored_change.ts";
import type { FeedStore } from "./told.ts";
import type { KeyValueStore } from "../store/key_value_store.ts";

export interface SharedFeedStore extends FeedStore {
  changeLog: ChangeLog;
}

/** The changes of one commit. */
export async function readLogAt(
  kv: KeyValueStore,
  account: bigint,
  version: string,
): Promise<StoredChange[]> {
  const { value } = await kv.get<LoggedChange[]>(keys.changesAt(account, version));
  return (value ?? []).map((one) => storedOf(account, version, one));
}

/** The log of an account after a version. */
export interface LogRead {
  changes: StoredChange[];
  /** The versions of its entries. */
  versions: string[];
  /** Nothing was logged for a while. */
  hasGap: boolean;
}

/** The changes after a version. */
export async function readLog(kv: KeyValueStore, account: bigint, after: string): Promise<LogRead> {
  const read: LogRead = { changes: [], versions: [], hasGap: false };
  const selector = {
    start: keys.changesAt(account, `${after}\0`),
    end: keys.changesAt(account, "~"),
  };
  for await (const { key, value } of kv.list<LoggedChange[]>(selector)) {
    const version = String(key.at(-1));
    if (value.length === 0) read.hasGap = true;
    read.versions.push(version);
    read.changes.push(...value.map((one) => storedOf(account, version, one)));
  }
  return read;
}

const storedOf = (
  account: bigint,
  version: string,
  [sid, change, value, bytes]: LoggedChange,
): StoredChange => ({
  account,
  sid,
  change,
  value: value ?? undefined,
  bytes,
  id: changeId(version, sid),
});
