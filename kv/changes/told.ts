import type { RecordChange } from "../../core/model/ports/change_feed.ts";
import type { EventType } from "../../core/model/event_types.ts";
import { eventTypes } from "../../core/model/event_types.ts";
import type { StoredRecords } from "../collections/stage_caused.ts";
import type { StoreContext } from "../collections/store_context.ts";
import { keys, sidOf } from "../store/keys.ts";
import { changeId, followedPrefixes, type StoredChange, typeOfPrefix } from "./stored_change.ts";

/** Source of the feeds. */
export interface FeedStore extends Pick<StoreContext, "kv" | "log" | "accountNumber"> {
  records: StoredRecords;
}

/**
 * A change in the form in which it is published. Null, and a line of the log, for a record that
 * cannot be read.
 */
export async function told(
  { records, log, kv }: FeedStore,
  change: StoredChange,
): Promise<RecordChange | null> {
  const { id, sid, account, bytes } = change;
  const type = typeOfPrefix.get(sid.slice(0, 2)) as EventType; // Only those are followed.
  const key = keys.record(account, sid);
  try {
    if (change.change === "deleted") {
      return { id, type, change: "deleted", sid, record: null, bytes };
    }
    const entry = change.value === undefined
      ? await kv.get(key)
      : { key, value: change.value, versionstamp: id.slice(0, 20) };
    // It was deleted since, and that change is published as well.
    if (entry.versionstamp === null) return null;
    const record = records[eventTypes[type]].decode(entry);
    return { id, type, change: change.change, sid, record, bytes };
  } catch (error) {
    log("Cannot read a record", { sid, error });
    return null;
  }
}

/** Records of one kind that a look for what changed reads. */
const mostScanned = 1_000;

/**
 * The records that were changed after a version, as they are now, oldest change first: of each kind
 * among the latest thousand. `isWhole`: there were no more of any kind.
 */
export async function scanChanges(
  { kv }: Pick<FeedStore, "kv">,
  account: bigint,
  after: string,
): Promise<{ changes: StoredChange[]; isWhole: boolean }> {
  const changes: StoredChange[] = [];
  let isWhole = true;
  for (const prefix of followedPrefixes) {
    let count = 0;
    // Records sort before the other entries of their resource (`keys`).
    const selector = { start: [account, prefix], end: [account, prefix, ""] };
    const options = { reverse: true, limit: mostScanned, batchSize: 500 };
    for await (const { key, value, versionstamp } of kv.list<unknown>(selector, options)) {
      count++;
      const sid = sidOf(prefix, key);
      const id = changeId(versionstamp, sid);
      if (id <= after) continue;
      const bytes = value instanceof Uint8Array ? value.length : 64 << 10;
      changes.push({ account, sid, id, change: "updated", value, bytes });
    }
    if (count === mostScanned) isWhole = false;
  }
  return { changes: changes.sort((one, other) => one.id < other.id ? -1 : 1), isWhole };
}
