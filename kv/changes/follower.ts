import { keys } from "../store/keys.ts";
import { readLog, type SharedFeedStore } from "./read_log.ts";
import { afterCommit, followedPrefixes, type StoredChange } from "./stored_change.ts";
import { scanChanges } from "./told.ts";
import type { KeyValueStore } from "../store/key_value_store.ts";

/** Follows the changes of one account for all its listeners in this process. */
export interface Follower {
  listen(take: (change: StoredChange | null) => void): () => void;
  /** The version after which the delivered changes begin; "" if the account has no version yet. */
  ready: Promise<string>;
}

/** In ms: between two looks whether the log lacks a commit, and two renewals. */
const [lookMs, renewMs] = [5_000, 10 * 60_000];

/** Progress of following an account. */
interface State extends SharedFeedStore {
  account: bigint;
  listeners: Set<(change: StoredChange | null) => void>;
  /** The version up to which the log is read. */
  last: string;
  /** The version up to which all commits are in the log, or were found otherwise. */
  proven: string;
  /** The versions of log entries since `proven`, and the ids of changes delivered since. */
  versions: Set<string>;
  ids: Set<string>;
  renewedAt: number;
  isLeft: boolean;
  reader: ReadableStreamDefaultReader<unknown> | undefined;
}

/**
 * Reads the log of an account whenever its mark changes. Every few seconds it compares the versions
 * of the account's lists, which each commit sets, with the log. That shows commits of processes
 * that did not log them. Their changes are then found among the records.
 */
export function followAccount(
  store: SharedFeedStore,
  account: bigint,
  onLeft: () => void,
): Follower {
  const state: State = {
    ...store,
    account,
    listeners: new Set(),
    last: "",
    proven: "",
    versions: new Set(),
    ids: new Set(),
    renewedAt: performance.now(),
    isLeft: false,
    reader: undefined,
  };
  const queue = inTurn(state);
  const timer = setInterval(() => queue(look), lookMs);
  const leave = () => {
    state.isLeft = true;
    clearInterval(timer);
    state.reader?.cancel().catch(() => {}); // It failed before.
    onLeft();
  };
  const ready = begin(state);
  ready.then(() => watch(state, () => queue(readOn))).catch(() => {}); // The looks go on without it.
  ready.catch(leave);
  return {
    ready,
    listen(take) {
      state.listeners.add(take);
      return () => {
        state.listeners.delete(take);
        if (state.listeners.size === 0 && !state.isLeft) leave();
      };
    },
  };
}

/** One task after the other; a store out of reach is asked again by the next one. */
function inTurn(state: State): (task: (state: State) => Promise<void>) => void {
  let turn: Promise<unknown> = Promise.resolve();
  return (task) => {
    turn = turn.then(() => state.isLeft ? undefined : task(state)).catch((error) => {
      if (state.isLeft) return;
      state.log("Cannot follow the changes of an account; it is tried again", { error });
    });
  };
}

/** Begins with the present version. */
async function begin(state: State): Promise<string> {
  const { kv, account, changeLog } = state;
  await changeLog.register(account);
  const list = { start: keys.changesOf(account), end: keys.changesAt(account, "~") };
  const [newest] = await Array.fromAsync(kv.list(list, { reverse: true, limit: 1 }));
  const found = [...await listVersions(kv, account), String(newest?.key.at(-1) ?? "")];
  state.last = state.proven = found.reduce(later, "");
  return state.last;
}

async function watch(state: State, onMark: () => void): Promise<void> {
  if (state.isLeft) return;
  state.reader = state.kv.watch(keys.changed(state.account)).getReader();
  for (;;) {
    const { done } = await state.reader.read();
    if (done) return;
    onMark();
  }
}

function tell({ ids, listeners }: State, change: StoredChange): void {
  if (ids.has(change.id)) return;
  ids.add(change.id);
  for (const take of listeners) take(change);
}

/** Delivers the changes that the log has since. */
async function readOn(state: State): Promise<void> {
  const read = await readLog(state.kv, state.account, state.last);
  for (const version of read.versions) state.versions.add(version);
  state.last = read.versions.at(-1) ?? state.last;
  for (const change of read.changes) tell(state, change);
}

/** Finds commits that the log lacks. */
async function look(state: State): Promise<void> {
  const { kv, account, changeLog, proven } = state;
  if (performance.now() - state.renewedAt > renewMs) {
    await changeLog.register(account);
    state.renewedAt = performance.now();
  }
  const now = await listVersions(kv, account);
  await readOn(state);
  const lacking = now.filter((version) => version > proven && !state.versions.has(version));
  if (lacking.length > 0) {
    const { changes } = await scanChanges({ kv }, account, afterCommit(proven));
    for (const change of changes) tell(state, change);
  }
  state.proven = now.reduce(later, proven);
  state.versions = new Set([...state.versions].filter((version) => version > state.proven));
  state.ids = new Set([...state.ids].filter((id) => id > afterCommit(state.proven)));
}

const later = (one: string, other: string): string => one > other ? one : other;

/** The versions of the lists of an account that are followed; those that never changed have none. */
async function listVersions(kv: KeyValueStore, account: bigint): Promise<string[]> {
  const all = [...followedPrefixes].map((prefix) => keys.listVersion({ account, prefix }));
  const halves = [all.slice(0, 10), all.slice(10)]; // A read has ten keys at most.
  const read = await Promise.all(halves.map((some) => kv.getMany(some)));
  return read.flat().flatMap(({ versionstamp }) => versionstamp ?? []);
}
