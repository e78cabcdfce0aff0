import { type Named, nameOf } from "../store/batch.ts";
import { sidOf } from "../store/keys.ts";
import { eventTypes } from "../../core/model/event_types.ts";
import { resources } from "../../core/model/resources/mod.ts";
import type { RecordChange } from "../../core/model/ports/change_feed.ts";
import type { AtomicCheck, KvKey } from "../store/key_value_store.ts";

/** A change of a record, as a commit has it. */
export interface StoredChange extends Pick<RecordChange, "id" | "change" | "sid" | "bytes"> {
  account: bigint;
  /** The value of the record; undefined if it was deleted, or is too long for the log. */
  value: unknown;
}

/** Prefixes of the Sids of records whose changes are published. */
export const followedPrefixes: ReadonlySet<string> = new Set(
  Object.values(eventTypes).map((name) => resources[name].sidPrefix),
);

/** The resource of a Sid's prefix. */
export const typeOfPrefix = new Map(
  Object.entries(eventTypes).map(([type, name]) => [resources[name].sidPrefix, type]),
);

/** The id of the change that a commit made to a record. */
export const changeId = (versionstamp: string, sid: string): string => `${versionstamp}.${sid}`;

/** An id after all changes of a commit: "~" sorts after the letters of a Sid. */
export const afterCommit = (versionstamp: string): string => `${versionstamp}.~`;

export const versionOf = (id: string): string => id.slice(0, 20);

export interface Written {
  checks: readonly (AtomicCheck & Named)[];
  sets: readonly ({ key: KvKey; value: unknown } & Named)[];
  deletes: readonly KvKey[];
}

/** A change before its commit has a version. */
export type StagedChange = Omit<StoredChange, "id">;

/** The writes of a commit to records whose changes are published; null if there are none. */
export function followedIn({ checks, sets, deletes }: Written): Written | null {
  const [written, removed] = [sets.filter(isOfFollowed), deletes.filter(isFollowed)];
  if (written.length === 0 && removed.length === 0) return null;
  // A check may be an entry, with the value that was there before, and either may have a record.
  return {
    checks: checks.filter(isOfFollowed)
      .map(({ key, versionstamp, name }) => ({ key, versionstamp, ...name && { name } })),
    sets: written.map(({ key, value, name }) => ({ key, value, ...name && { name } })),
    deletes: removed,
  };
}

/** The changes of records in what a commit writes; most commits of jobs have none. */
export function changesIn({ checks, sets, deletes }: Written): StagedChange[] {
  const present = new Set<string>();
  for (const check of checks) {
    if (check.versionstamp !== null && isFollowed(check.key)) present.add(nameOf(check));
  }
  const changes: StagedChange[] = [];
  for (const set of sets) {
    const { key, value } = set;
    if (!isFollowed(key)) continue;
    const change = present.has(nameOf(set)) ? "updated" : "created";
    changes.push({ ...placeOf(key), change, value, ...sizeOf(value) });
  }
  for (const key of deletes) {
    if (!isFollowed(key)) continue;
    changes.push({ ...placeOf(key), change: "deleted", value: undefined, bytes: 0 });
  }
  return changes.sort((one, other) => one.sid < other.sid ? -1 : 1);
}

const isFollowed = (key: KvKey): boolean =>
  key.length === 3 && typeof key[0] === "bigint" && key[2] instanceof Uint8Array &&
  followedPrefixes.has(key[1] as string);

const isOfFollowed = ({ key }: { key: KvKey }): boolean => isFollowed(key);

const placeOf = (key: KvKey) => ({
  account: key[0] as bigint,
  sid: sidOf(key[1] as string, key),
});

/** An estimate of the bytes of a value: one that is not bytes was too long to be. */
export const sizeOf = (value: unknown) => ({
  bytes: value instanceof Uint8Array ? value.length : 64 << 10,
});
