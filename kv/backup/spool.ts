import { DatabaseSync } from "node:sqlite";
import { keyText } from "../store/batch.ts";
import { type Logged, readLogged } from "../store/commit_log.ts";
import { decodeEntries, encodeEntries, type Entry } from "./entries.ts";
import { type KvEntry, type KvKey, KvU64 } from "../store/key_value_store.ts";

/** A copy of a store that other processes write to, and the log of what they wrote meanwhile. */
export interface Spool {
  add(entry: KvEntry<unknown>): void;
  /** Adds a chunk of the log entry of a commit. */
  addLog(
    chunk: { commit: string; n: number; versionstamp: string; bytes: Uint8Array },
  ): void;
  /** Brings every entry of the copy to the state after the last commit of the log. */
  applyLog(): void;
  size(): number;
  entries(): AsyncIterable<Entry>;
  close(): void;
}

const tables = `
  pragma journal_mode = off;
  pragma synchronous = off;
  create table entries (key text primary key, versionstamp text, entry blob) without rowid;
  create table log (versionstamp text, id text, n integer, bytes blob,
    primary key (versionstamp, id, n)) without rowid;
  begin;
`;

const mask = 2n ** 64n - 1n;

/** Operations on a counter, which is undefined until its first one. */
const counted = {
  sum: (now: bigint | undefined, by: bigint) => ((now ?? 0n) + by) & mask,
  min: (now: bigint | undefined, by: bigint) => now === undefined || by < now ? by : now,
  max: (now: bigint | undefined, by: bigint) => now === undefined || by > now ? by : now,
  count: (_: bigint | undefined, by: bigint) => by,
};

/** The copied entries. */
function entriesIn(database: DatabaseSync) {
  const put = database.prepare("insert or replace into entries values (?, ?, ?)");
  const find = database.prepare("select versionstamp, entry from entries where key = ?");
  const remove = database.prepare("delete from entries where key = ?");
  return {
    put(entry: Entry, versionstamp: string): void {
      put.run(keyText(entry.key), versionstamp, encodeEntries([entry]));
    },
    remove: (key: KvKey) => void remove.run(keyText(key)),
    versionOf(key: KvKey): string {
      return String(find.get(keyText(key))?.versionstamp ?? "");
    },
    valueOf(key: KvKey): unknown {
      const entry = find.get(keyText(key))?.entry;
      return entry instanceof Uint8Array ? decodeEntries(entry)[0]?.value : undefined;
    },
  };
}

type Copied = ReturnType<typeof entriesIn>;

function apply(copied: Copied, one: Logged, versionstamp: string): void {
  const { key } = one;
  if (one.does === "delete") copied.remove(key);
  else if (one.does === "set") copied.put(one, versionstamp);
  else {
    const now = copied.valueOf(key);
    const to = counted[one.does](now instanceof KvU64 ? now.value : undefined, one.by);
    copied.put({ key, value: new KvU64(to) }, versionstamp);
  }
}

/** Applies a commit, but not to keys that were copied after it. */
function applyCommit(copied: Copied, changes: Logged[], versionstamp: string): void {
  const isNewer = new Map<string, boolean>(); // As it was before the first change of the commit.
  for (const one of changes) {
    const key = keyText(one.key);
    if (!isNewer.has(key)) isNewer.set(key, copied.versionOf(one.key) >= versionstamp);
    if (!isNewer.get(key)) apply(copied, one, versionstamp);
  }
}

/** Makes a spool in an empty database. */
export function openSpool(path: string): Spool {
  const database = new DatabaseSync(path);
  database.exec(tables);
  const copied = entriesIn(database);
  const putLog = database.prepare("insert into log values (?, ?, ?, ?)");
  return {
    add: (entry) => copied.put(entry, entry.versionstamp),
    addLog: ({ commit, n, versionstamp, bytes }) => void putLog.run(versionstamp, commit, n, bytes),
    applyLog() {
      let chunks: Uint8Array[] = [];
      let last = { versionstamp: "", id: "" };
      const flush = () => {
        if (chunks.length > 0) {
          applyCommit(copied, readLogged(Buffer.concat(chunks)), last.versionstamp);
        }
        chunks = [];
      };
      const all = database.prepare("select * from log order by versionstamp, id, n");
      for (const { versionstamp, id, bytes } of all.iterate()) {
        if (versionstamp !== last.versionstamp || id !== last.id) flush();
        last = { versionstamp: String(versionstamp), id: String(id) };
        if (bytes instanceof Uint8Array) chunks.push(bytes);
      }
      flush();
    },
    size: () => Number(database.prepare("select count(*) as size from entries").get()?.size),
    async *entries() {
      for (const { entry } of database.prepare("select entry from entries").iterate()) {
        if (entry instanceof Uint8Array) yield* decodeEntries(entry);
      }
    },
    close: () => database.close(),
  };
}
