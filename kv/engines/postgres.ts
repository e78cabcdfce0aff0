import { setImmediate } from "node:timers";
import type {
  KeyValueStore,
  KvEntry,
  KvEntryMaybe,
  KvKey,
  KvListIterator,
  KvListOptions,
  KvListSelector,
  KvMade,
} from "../store/key_value_store.ts";
import { keyBytes } from "./key_bytes.ts";
import { mostChecks, postgresCommit, writers } from "./postgres_commit.ts";
import { migrate } from "./postgres_migration.ts";
import { type PostgresPool, postgresPool, type Query } from "./postgres_pool.ts";
import { readDatabaseUrl } from "./postgres_url.ts";
import { bytesArray, bytesIn, columns, digitsIn, entryOf } from "./postgres_values.ts";
import { postgresWatches } from "./postgres_watches.ts";

/*
 * PostgreSQL is what operators already run, with standbys, backups and people who know it; a KV server of
 * our own would have none of these. npm `pg` speaks its protocol: it sends a statement that is not prepared
 * in one round trip, which a pooler in transaction mode bears, where npm `postgres` takes two. Results
 * are text, so bytes come as hexadecimal digits.
 */

/** Most reads under way at once; further ones share the next one. */
const readsAtOnce = 4;

/** The most keys of one read, and of one batch of a list. */
const [keysAtOnce, mostBatch] = [500, 1_000];

/** Between two removals of expired entries, in ms, and how many each removes at most. */
const [sweepMs, swept] = [60_000, 1_000];

const isAlive =
  "(ends_at is null or ends_at > (extract(epoch from statement_timestamp()) * 1000)::bigint)";

/**
 * Opens a store on PostgreSQL, or on an engine with its protocol (`docs/how-to/postgresql.md` has
 * the requirements), and makes its tables. All reads go to the primary, so that decisions follow
 * the latest state.
 */
export async function openPostgres(location: string): Promise<KeyValueStore> {
  const url = readDatabaseUrl(location);
  const pool = await postgresPool(url);
  try {
    await migrate(pool);
    return postgresStore(pool, { ...url, caution: await cautionOf(pool) });
  } catch (error) {
    pool.close();
    throw error;
  }
}

function postgresStore(
  pool: PostgresPool,
  { hasPooler, caution }: { hasPooler: boolean; caution: string | null },
): KeyValueStore {
  const read = mergedReads(pool);
  const watches = postgresWatches(pool, read, { listens: !hasPooler });
  const ofCommits = writers();
  const atomic = () => postgresCommit(pool, ofCommits);
  const sweep = () => void pool.ask(expired).catch(() => {}); // The next one removes more.
  const timer = setInterval(sweep, sweepMs);
  const close = () => {
    clearInterval(timer);
    watches.close();
    pool.close();
  };
  return {
    mostChecks,
    repeatsCommits: false,
    caution,
    get: async (key) => (await read([key]))[0] as never,
    getMany: (keys) => read(keys as readonly KvKey[]) as never,
    list: (selector, options) => listOf(pool, selector, options),
    // Without checks a commit is made, or throws.
    set: async (key, value, options) => await atomic().set(key, value, options).commit() as KvMade,
    async delete(key) {
      await atomic().delete(key).commit();
    },
    atomic,
    watch: watches.watch,
    close,
    [Symbol.dispose]: close,
  };
}

/** An engine that does not know the setting keeps copies in a way of its own. */
async function cautionOf(pool: PostgresPool): Promise<string | null> {
  const [[names] = []] = await pool.ask({
    name: "switchboard_standby",
    text: "select current_setting('synchronous_standby_names', true)",
    values: [],
  });
  if (names !== "") return null;
  return "PostgreSQL has no synchronous standby: a failover may lose the last commits, unless its " +
    "disks are replicated (docs/how-to/postgresql.md)";
}

export type ReadMany = (keys: readonly KvKey[]) => Promise<KvEntryMaybe<unknown>[]>;

interface WaitingRead {
  keys: readonly KvKey[];
  bytes: Uint8Array[];
  resolve(entries: KvEntryMaybe<unknown>[]): void;
  reject(error: unknown): void;
}

/** Reads of one turn, and those that come while others are under way, share a statement. */
function mergedReads(pool: PostgresPool): ReadMany {
  const queue: WaitingRead[] = [];
  let underWay = 0;

  async function readGroup(group: WaitingRead[]): Promise<void> {
    try {
      const rows = await pool.ask(readOf(group.flatMap(({ bytes }) => bytes)));
      const found = new Map<string, KvEntry<unknown>>();
      for (const row of rows) found.set(digitsIn(row[0]!), entryOf(row)); // A key is never null.
      for (const { keys, bytes, resolve } of group) {
        resolve(keys.map((key, at) =>
          // One entry for each key. Two readers share none: entries belong to their reader.
          copyOf(found.get(bytes[at]!.toHex())) ?? { key, value: null, versionstamp: null }
        ));
      }
    } catch (error) {
      group.forEach(({ reject }) => reject(error));
    }
  }

  function flush(): void {
    while (queue.length > 0 && underWay < readsAtOnce) {
      let count = 0;
      const end = queue.findIndex(({ keys }) => (count += keys.length) > keysAtOnce);
      const group = queue.splice(0, end === -1 ? queue.length : Math.max(1, end));
      underWay++;
      void readGroup(group).finally(() => {
        underWay--;
        flush();
      });
    }
  }

  return async (keys) => {
    const bytes = keys.map(keyBytes); // Throws for keys that are too long.
    return await new Promise((resolve, reject) => {
      queue.push({ keys, bytes, resolve, reject });
      if (queue.length === 1) setImmediate(flush);
    });
  };
}

const copyOf = (entry: KvEntry<unknown> | undefined) => entry && { ...entry };

const readOf = (keys: Uint8Array[]): Query => ({
  name: "switchboard_read",
  text: `select ${columns} from switchboard_entries where key = any($1::bytea[]) and ${isAlive}`,
  values: [bytesArray(keys)],
});

/** Removes what has expired, unless it was set again meanwhile. */
const expired: Query = {
  name: "switchboard_expired",
  text: `delete from switchboard_entries where key in
    (select key from switchboard_entries where ends_at is not null and not ${isAlive} limit ${swept})
    and not ${isAlive}`,
  values: [],
};

function listOf<T>(
  pool: PostgresPool,
  selector: KvListSelector,
  { limit = Infinity, reverse = false, batchSize = Math.min(limit, 100) }: KvListOptions = {},
): KvListIterator<T> {
  async function* entries(): AsyncGenerator<KvEntry<T>, undefined> {
    let { start, end } = boundsOf(selector);
    let left = limit;
    while (left > 0) {
      const count = Math.min(left, batchSize, mostBatch);
      const rows = await pool.ask(batchOf({ start, end, reverse, count }));
      for (const row of rows) yield entryOf(row);
      const last = rows.at(-1)?.[0];
      if (last === undefined || last === null || rows.length < count) return;
      left -= rows.length;
      if (reverse) end = bytesIn(last);
      else start = Buffer.concat([bytesIn(last), Uint8Array.of(0)]);
    }
  }
  return entries();
}

function batchOf({ start, end, reverse, count }: {
  start: Uint8Array;
  end: Uint8Array;
  reverse: boolean;
  count: number;
}): Query {
  return {
    name: `switchboard_${reverse ? "reverse" : "list"}`,
    text: `select ${columns} from switchboard_entries
      where key >= $1::bytea and key < $2::bytea and ${isAlive}
      order by key ${reverse ? "desc" : "asc"} limit $3::bigint`,
    values: [start, end, String(count)],
  };
}

/** The first key of a selector, and the one after its last. */
function boundsOf(selector: KvListSelector): { start: Uint8Array; end: Uint8Array } {
  const beside = (last: number) =>
    Buffer.concat([
      keyBytes("prefix" in selector ? selector.prefix : []),
      Uint8Array.of(last),
    ]);
  const start = "start" in selector ? keyBytes(selector.start) : beside(0);
  const end = "end" in selector ? keyBytes(selector.end) : beside(0xff);
  if (Buffer.compare(start, end) > 0) throw new TypeError("Start key is greater than end key");
  return { start, end };
}
