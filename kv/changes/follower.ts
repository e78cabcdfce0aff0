import { keys } from "../store/keys.ts";
import { readLog, type SharedFeedStore } from "./read_log.ts";
import { afterCommit, followedPrefixes, type StoredChange } from "./stored_change.ts";
import { scanChanges } from "./told.ts";

/** Follows the changes of one account for all who listen here. */
export interface Follower {
  listen(take: (change: StoredChange | null) => void): () => void;
  /** The version that what is told begins after; "" where the account has no version yet. */
  ready: Promise<string>;
}

/** In ms: between two looks whether the log lacks a commit, and two renewals. */
const [lookMs, renewMs] = [5_000, 10 * 60_000];

/**
 * Reads the log of an account whenever its mark changes. Every few seconds it compares the versions of
 * the account's lists, which each commit sets, with the log: a commit of a process that did not log it
 * shows there, and what it changed is then found among the records.
 */
export function followAccount(
  { kv, log, changeLog }: SharedFeedStore,
  account: bigint,
  onLeft: () => void,
): Follower {
  const listeners = new Set<(change: StoredChange | null) => void>();
  /** The version up to which the log is read, and up to which it is known to have all commits. */
  let [last, proven] = ["", ""];
  /** What was told since `proven`: versions of entries of the log, ids of changes. */
  let [versions, ids] = [new Set<string>(), new Set<string>()];
  let renewedAt = performance.now();
  let isLeft = false;
  let reader: ReadableStreamDefaultReader<unknown> | undefined;

  const tell = (change: StoredChange) => {
    if (ids.has(change.id)) return;
    ids.add(change.id);
    for (const take of listeners) take(change);
  };

  async function readOn(): Promise<void> {
    const read = await readLog(kv, account, last);
    for (const version of read.versions) versions.add(version);
    last = read.versions.at(-1) ?? last;
    read.changes.forEach(tell);
  }

  /** Finds commits that the log lacks. */
  async function look(): Promise<void> {
    if (performance.now() - renewedAt > renewMs) {
      await changeLog.register(account);
      renewedAt = performance.now();
    }
    const now = await listVersions(kv, account);
    await readOn();
    const lacking = now.filter((version) => version > proven && !versions.has(version));
    if (lacking.length > 0) {
      const { changes } = await scanChanges({ kv }, account, afterCommit(proven));
      changes.forEach(tell);
    }
    proven = now.reduce(later, proven);
    versions = new Set([...versions].filter((version) => version > proven));
    ids = new Set([...ids].filter((id) => id > afterCommit(proven)));
  }

  /** One task after the other; a store out of reach is asked again at the next one. */
  let turn: Promise<unknown> = Promise.resolve();
  const queue = (task: () => Promise<void>) => {
    turn = turn.then(() => isLeft ? undefined : task()).catch((error) => {
      if (!isLeft) log("Cannot follow the changes of an account; it is tried again", { error });
    });
  };

  async function watch(): Promise<void> {
    const stream = kv.watch([keys.changed(account)]).getReader();
    reader = stream;
    for (;;) {
      const { done } = await stream.read();
      if (done) return;
      queue(readOn);
    }
  }

  async function begin(): Promise<string> {
    await changeLog.register(account);
    const list = { start: keys.changesOf(account), end: keys.changesAt(account, "~") };
    const logged = await Array.fromAsync(kv.list(list, { reverse: true, limit: 1 }));
    const found = [
      ...await listVersions(kv, account),
      ...logged.map(({ key }) => String(key.at(-1))),
    ];
    last = proven = found.reduce(later, "");
    watch().catch(() => {}); // The looks go on without it.
    return last;
  }

  const ready = begin();
  ready.catch(leave);
  const timer = setInterval(() => queue(look), lookMs);
  function leave(): void {
    isLeft = true;
    clearInterval(timer);
    reader?.cancel().catch(() => {}); // It failed before.
    onLeft();
  }
  return {
    ready,
    listen(take) {
      listeners.add(take);
      return () => {
        listeners.delete(take);
        if (listeners.size === 0 && !isLeft) leave();
      };
    },
  };
}

const later = (one: string, other: string): string => one > other ? one : other;

/** The versions of the lists of an account that are followed; those that never changed have none. */
async function listVersions(kv: Deno.Kv, account: bigint): Promise<string[]> {
  const all = [...followedPrefixes].map((prefix) => keys.listVersion({ account, prefix }));
  const halves = [all.slice(0, 10), all.slice(10)]; // A read has ten keys at most.
  const read = await Promise.all(halves.map((some) => kv.getMany(some)));
  return read.flat().flatMap(({ versionstamp }) => versionstamp ?? []);
}
